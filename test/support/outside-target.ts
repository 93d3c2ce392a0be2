import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { type AllowList, parseAllowList } from '../../src/rules/webhook-allow.ts';
import { post } from '../../src/webhooks/deliver.ts';
import type { RequestOptions } from '../../src/webhooks/guarded-request.ts';
import { selfSigned } from './certificate.ts';
import { type NameServer, startNameServer, type Zone } from './name-server.ts';

/*
 * Tests can't use a public address. Instead, `outside` is a second loopback address, which the allow-list permits. 127.0.0.1
 * is `inside`: a request that reaches it has bypassed the guard.
 */
export const { certificate, key: certificateKey } = selfSigned('hooks.example.com');
export const inside = '127.0.0.1';
/** macOS has no second IPv4 address on the loopback. */
export const outside = (await canListen('127.0.0.2')) ? '127.0.0.2' : '::1';

function canListen(address: string): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.on('error', () => resolve(false));
    probe.listen(0, address, () => probe.close(() => resolve(true)));
  });
}

export const opened: { close(): unknown }[] = [];
/** For `afterEach`: closes all targets and name servers. */
export async function closeTargets(): Promise<void> {
  for (const resource of opened.splice(0).reverse()) await resource.close();
}

export interface Target {
  readonly port: number;
  readonly connections: Socket[];
  /** All bytes received, over all connections. */
  received: string;
}

export type Responder = (socket: Socket, received: string) => void;

/** Listens on a free port, or on the same one as another target. */
export async function listen(
  address: string,
  respond: Responder,
  port = 0,
  server: Server = createServer(),
): Promise<Target> {
  const target: Target = { port: 0, connections: [], received: '' };
  server.on(server instanceof tls.Server ? 'secureConnection' : 'connection', (socket: Socket) => {
    target.connections.push(socket);
    let received = '';
    socket.on('error', () => {});
    socket.on('data', (data) => {
      received += data.toString('latin1');
      target.received += data.toString('latin1');
      if (isComplete(received)) respond(socket, received);
    });
  });
  server.listen(port, address);
  await once(server, 'listening');
  opened.push({
    close: () => {
      for (const socket of target.connections) socket.destroy();
      server.close();
    },
  });
  return Object.assign(target, { port: (server.address() as AddressInfo).port });
}

/** Two targets on the same port: one outside, and one inside (`trap`), which no request may reach. */
export async function listenTwice(respond: Responder): Promise<{ target: Target; trap: Target }> {
  for (let tries = 0; ; tries++) {
    const target = await listen(outside, respond);
    try {
      return { target, trap: await listen(inside, respond, target.port) };
    } catch (cause) {
      if (tries > 20) throw cause;
    }
  }
}

export function isComplete(request: string): boolean {
  const [head = '', body] = request.split('\r\n\r\n');
  return body !== undefined && body.length >= Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
}

export const response = (head: string, body: string | Buffer = '') =>
  Buffer.concat([Buffer.from(`HTTP/1.1 ${head}\r\n\r\n`), Buffer.from(body)]);

export const ok: Responder = (socket) => socket.end(response('200 OK\r\ncontent-length: 2', 'ok'));

export async function nameServer(zone: Zone): Promise<NameServer> {
  const server = await startNameServer(zone);
  opened.push({ close: () => server.stop() });
  return server;
}

export const allowing = (...entries: string[]): AllowList => parseAllowList(entries.join(',')) ?? [];
export const hostOf = (address: string) => (address.includes(':') ? `[${address}]` : address);
export const permitted = (port: number) => allowing(`${hostOf(outside)}:${port}`);
export const urlOf = (host: string, port: number) => `http://${hostOf(host)}:${port}/hook`;
export const outgoing = { headers: { 'content-type': 'application/json' }, body: '{"event":"click"}' };

export const call = (target: Target, options: RequestOptions = {}, path = '') =>
  post(urlOf(outside, target.port) + path, outgoing, permitted(target.port), options);

export async function inBatches<T>(
  count: number,
  size: number,
  run: (index: number) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (let from = 0; from < count; from += size) {
    const batch = Array.from({ length: Math.min(size, count - from) }, (_, index) => run(from + index));
    results.push(...(await Promise.all(batch)));
  }
  return results;
}
