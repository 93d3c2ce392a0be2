import type { Express } from '../../src/http/connection.ts';
import type { ConnectionLimits } from '../../src/http/connection-limits.ts';
import { drain } from '../../src/http/drain.ts';
import { type Front, InnerServer } from '../../src/http/inner-server.ts';
import { OuterServer } from '../../src/http/outer-server.ts';
import { Peers } from '../../src/http/peers.ts';

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
  const peers = new Peers();
  const inner = new InnerServer(peers, onFault);
  const place = { port: 0, host: '127.0.0.1', workers: 1, trustedProxies: noProxies };
  const outer = new OuterServer(place, { port: inner.port, peers }, wideLimits, onFault);
  inner.open(front);
  outer.open(express);
  return { port: outer.port, drain: () => drain(outer, inner) };
}
