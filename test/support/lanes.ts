import { drain } from '../../src/compose/drain.ts';
import { AppServer, type Front } from '../../src/http/app-server.ts';
import { ClientByPort } from '../../src/http/client-by-port.ts';
import type { Express } from '../../src/visit/connection/connection.ts';
import type { ConnectionLimits } from '../../src/visit/connection/connection-limits.ts';
import { Listener } from '../../src/visit/connection/listener.ts';

export interface Lanes {
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

/** The port of visitors, its express lane, and the server behind. */
export function openLanes(onFault: (cause: unknown) => void, front: Front, express: Express): Lanes {
  const peers = new ClientByPort();
  const inner = new AppServer(peers, onFault);
  const place = { port: 0, host: '127.0.0.1', workers: 1, trustedProxies: noProxies };
  const outer = new Listener(place, { port: inner.port, peers }, wideLimits, onFault);
  inner.open(front);
  outer.open(express);
  return { port: outer.port, drain: () => drain(outer, inner) };
}
