import type { Express } from '../../src/http/connection.ts';
import { drain } from '../../src/http/drain.ts';
import { type Front, InnerServer } from '../../src/http/inner-server.ts';
import { OuterServer } from '../../src/http/outer-server.ts';
import { Peers } from '../../src/http/peers.ts';

export interface Lanes {
  readonly port: number;
  drain(): Promise<void>;
}

/** The port of visitors, its express lane, and the server behind. */
export function openLanes(onFault: (cause: unknown) => void, front: Front, express: Express): Lanes {
  const peers = new Peers();
  const inner = new InnerServer(peers, onFault);
  const place = { port: 0, host: '127.0.0.1', workers: 1 };
  const outer = new OuterServer(place, { port: inner.port, peers }, onFault);
  inner.open(front);
  outer.open(express);
  return { port: outer.port, drain: () => drain(outer, inner) };
}
