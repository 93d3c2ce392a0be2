import type { Config } from '../config/options.ts';
import type { ClientByPort } from '../http/client-by-port.ts';
import type { RawHit } from '../journal/hit.ts';
import type { NotFoundCount } from '../storage/not-found-visits.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metric } from '../telemetry/metrics.ts';
import type { Overrides } from './overrides.ts';

/** The journal and the fold, as far as the control plane uses them. */
export interface Clicks {
  /** Fulfilled once the hit is in the journal; null if it is already. Never rejected. */
  append(hit: RawHit): Promise<void> | null;
  /** Fulfilled once everything appended so far is in storage and out of the journal. */
  settled(): Promise<void>;
  /** Calls `listener` after each batch of hits that has been stored. */
  onFolded(listener: () => void): void;
  /** To be called at intervals: deletes old hits, and the journals of processes that have died. */
  tidy(): void;
}

/** Links and hosts that have changed in the store. */
export interface Change {
  readonly links: readonly { readonly domainId: number; readonly suffix: string }[];
  readonly hosts: readonly string[];
}

/** The data plane, in whichever thread it runs: the visitors' port, the caches of links, the journal of clicks. */
export interface DataPlane {
  readonly port: number;
  /** The port without TLS, where the other speaks it. */
  readonly httpPort: number | null;
  /** The origin that it listens on. */
  readonly origin: string;
  readonly clicks: Clicks;
  /** Begins to answer plain visits. The store is open and its schema up to date. `saltKey`: see `FoldSettings`. */
  open(origin: string, saltKey: string): Promise<void>;
  /** The last step of a start. Only now is a shared port listened on: until then the other processes get the visitors. */
  listen(): void | Promise<void>;
  change(change: Change): void;
  /** Calls `listener` when somebody has come for a name that has no certificate and is to have one. */
  onCertificateRequested(listener: (host: string) => void): void;
  /** What it has counted since its start, and how it stands. */
  measure(): Promise<readonly Metric[]>;
  /** What people have asked for in vain since it was last taken. */
  takeNotFound(): Promise<readonly NotFoundCount[]>;
  /** Fulfilled once every change passed to `change` has been applied; null if it already has. */
  caughtUp(): Promise<void> | null;
  /** From now on each answer ends its connection; new ones are still accepted. */
  drain(): void | Promise<void>;
  /** Accepts no new connections, and answers what has come on the open ones: within so many milliseconds. */
  stopTaking(patience: number): Promise<void>;
  endConnections(): Promise<void>;
  close(): Promise<void>;
}

/** The port of the app server, and the memory that it shares with the data plane. */
export interface AppServerAccess {
  readonly port: number;
  readonly clientByPort: ClientByPort;
  /** `MissLimit.memory`. */
  readonly misses: SharedArrayBuffer;
}

/** Listens on the visitors' port at once, so that a port in use is reported first; unless the port is shared, see `listen`. */
export type StartDataPlane = (
  config: Config,
  appServer: AppServerAccess,
  overrides: Overrides,
  log: Log,
) => Promise<DataPlane>;
