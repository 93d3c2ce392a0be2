import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ClientByPort } from '../src/http/client-by-port.ts';
import { Listener } from '../src/visit/connection/listener.ts';
import { type SecureContext, secureContextOf } from '../src/visit/tls/secure-context.ts';
import { type FindContext, TlsPort } from '../src/visit/tls/tls-port.ts';
import { noProxies, wideLimits } from './support/both-paths.ts';
import { selfSigned } from './support/certificate.ts';

const rethrow = (cause: unknown) => {
  throw cause;
};

const pair = selfSigned('links.example.com');

function listen(limits = wideLimits, idleTime?: number, find: FindContext | null = null): Listener {
  const listenAt = { port: 0, host: '127.0.0.1', workers: 1, trustedProxies: noProxies };
  const openTls = new TlsPort(pair, find).open;
  const https = { openTls, httpPort: null, headLine: '' };
  const appServer = { port: 9, clientByPort: new ClientByPort() };
  return new Listener(listenAt, appServer, limits, rethrow, { https, ...(idleTime && { idleTime }) });
}

const closed = (socket: ReturnType<typeof connect>): Promise<void> =>
  new Promise((resolve) => {
    socket.resume();
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });

async function close(listener: Listener): Promise<void> {
  await listener.stopAccepting(0);
  await listener.endConnections();
}

test('a client that never begins or finishes a handshake is disconnected', async () => {
  const listener = listen(wideLimits, 20);
  const silent = connect({ host: '127.0.0.1', port: listener.port });
  const half = connect({ host: '127.0.0.1', port: listener.port });
  half.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]));
  await Promise.all([closed(silent), closed(half)]);
  expect([silent.bytesRead, half.bytesRead]).toEqual([0, 0]);
  await close(listener);
});

test('a handshake that waits for its certificate is continued after connections without one were closed', async () => {
  const found = Promise.withResolvers<SecureContext>();
  // Until the next sweep there is time for the handshake.
  const listener = listen(wideLimits, 500, () => found.promise);
  const silent = connect({ host: '127.0.0.1', port: listener.port });
  const options = { host: '127.0.0.1', port: listener.port, servername: 'links.example.com' };
  const waiting = connectTls({ ...options, rejectUnauthorized: false });
  const outcome = Promise.race([
    new Promise((resolve) => waiting.once('secureConnect', () => resolve('connected'))),
    closed(waiting).then(() => 'closed'),
  ]);
  await closed(silent);
  found.resolve(secureContextOf(pair));
  expect(await outcome).toBe('connected');
  waiting.destroy();
  await close(listener);
});

test("connections count before their handshake: one network can't open more than its share", async () => {
  const listener = listen({ ...wideLimits, perNetwork: 2 });
  const silent = [1, 2].map(() => connect({ host: '127.0.0.1', port: listener.port }));
  await Promise.all(
    silent.map((socket) => new Promise<void>((done) => socket.once('connect', () => done()))),
  );
  const late = connectTls({ host: '127.0.0.1', port: listener.port, rejectUnauthorized: false });
  // One of the three has to be closed: a silent one, if there is one.
  await Promise.race([...silent, late].map(closed));
  expect([...silent, late].filter(({ destroyed }) => !destroyed)).toHaveLength(2);
  for (const socket of silent) socket.destroy();
  late.destroy();
  await close(listener);
});
