import { drain } from '../../src/compose/drain.ts';
import { AppServer, type RequestHandler } from '../../src/http/app-server.ts';
import { ClientByPort } from '../../src/http/client-by-port.ts';
import type { FastPath } from '../../src/visit/connection/connection.ts';
import type { ConnectionLimits } from '../../src/visit/connection/connection-limits.ts';
import { Listener } from '../../src/visit/connection/listener.ts';

export interface BothPaths {
  readonly port: number;
  drain(): Promise<void>;
}

export const noProxies = { kind: 'hops', count: 0 } as const;
export const wideLimits: ConnectionLimits = {
  total: 1_000,
  perNetwork: 1_000,
  upstream: 500,
  upstreamPerNetwork: 500,
};

/** A listener with a fast path in front of an app server. */
export function openBothPaths(
  onFault: (cause: unknown) => void,
  handle: RequestHandler,
  fastPath: FastPath,
  limits = wideLimits,
): BothPaths {
  const clientByPort = new ClientByPort();
  const appServer = new AppServer(clientByPort, onFault);
  const listenAt = { port: 0, host: '127.0.0.1', workers: 1, trustedProxies: noProxies };
  const listener = new Listener(listenAt, { port: appServer.port, clientByPort }, limits, onFault);
  appServer.open(handle);
  listener.open(fastPath);
  return { port: listener.port, drain: () => drain(listener, appServer) };
}
