import { expect, spyOn, test } from 'bun:test';
import { eventually } from '../../../test/support/eventually.ts';
import { ClientByPort } from '../../http/client-by-port.ts';
import { UpstreamConnection } from './upstream.ts';
import { UpstreamSlots } from './upstream-slots.ts';

test('a half-sent request stalls if nothing more is sent, and if it is sent a byte at a time', async () => {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const slots = new UpstreamSlots({ upstream: 3, upstreamPerNetwork: 3 }, () => null);
  const appServer = { port: server.port, clientByPort: new ClientByPort(), slots };
  const log: string[] = [];
  const open = (name: string) =>
    new UpstreamConnection(appServer, '192.0.2.1', {
      received: () => {},
      drained: () => log.push(`${name} opened`),
      closed: () => log.push(`${name} closed`),
      guarded: (run) => run(),
      refused: () => log.push(`${name} refused`),
      stalled: () => log.push(`${name} stalled`),
      isHalfSent: () => true,
    });
  const upload = open('upload');
  const slow = open('slow');
  const silent = open('silent');
  await eventually(() => log.length === 3, 'the connections to open');
  for (const upstream of [slow, silent]) upstream.send(Buffer.alloc(1));
  upload.send(Buffer.alloc(1_000_000));
  const later = performance.now() + 200;
  const clock = spyOn(performance, 'now').mockImplementation(() => later);
  for (const upstream of [upload, slow]) upstream.send(Buffer.alloc(1));
  for (const upstream of [upload, slow, silent]) upstream.endIfStalled(100);
  clock.mockRestore();
  expect(log.slice(3)).toEqual(['slow stalled', 'silent stalled']);
  upload.close();
  server.stop(true);
});
