import { expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { selfSigned } from '../../../test/support/certificate.ts';
import { TlsPort } from './tls-port.ts';

/** The first bytes of a handshake. */
async function clientHello(): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const client = connectTls({ host: '127.0.0.1', port }).on('error', () => {});
  const [accepted] = (await once(server, 'connection')) as [Socket];
  const [hello] = (await once(accepted, 'data')) as [Buffer];
  client.destroy();
  accepted.destroy();
  server.close();
  return hello;
}

test('simultaneous handshakes are answered in order of arrival, and closed ones delay no other', async () => {
  const hello = await clientHello();
  const count = 60;
  /** Clients' ports, in the order in which they were accepted. */
  const opened: number[] = [];
  const faults: unknown[] = [];
  const port = new TlsPort(selfSigned('links.example.com')).open(
    { hostname: '127.0.0.1', port: 0, reusePort: false },
    {
      opened: (socket) =>
        void opened.push((socket as typeof socket & { readonly remotePort: number }).remotePort),
      handshakeWaits() {},
      received() {},
      drained() {},
      ended() {},
      closed() {},
      failed: (_, cause) => void faults.push(cause),
    },
  );
  const answered: number[] = [];
  const visits = Array.from({ length: count }, async (_, index) => {
    const client = connect({ host: '127.0.0.1', port: port.port });
    client.write(hello);
    if (index % 10 === 9) return void client.on('connect', () => client.resetAndDestroy());
    await once(client, 'data');
    answered.push(client.localPort ?? 0);
    client.destroy();
  });
  await Promise.all(visits);
  port.close();
  const accepted = opened.filter((client) => answered.includes(client));
  const shifts = answered.map((client, index) => index - accepted.indexOf(client));
  expect(answered).toHaveLength(count * 0.9);
  // Clients of the same turn are answered in any order.
  expect(Math.max(...shifts.map(Math.abs))).toBeLessThan(10);
  expect(faults).toEqual([]);
});
