import type { Config } from '../config/options.ts';
import type { ClientByPort } from '../http/client-by-port.ts';
import type { RawHit } from '../journal/hit.ts';
import type { NotFoundCount } from '../storage/not-found-visits.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metric } from '../telemetry/metrics.ts';
import type { Overrides } from './overrides.ts';

/** The journal and the fold, as used by the control plane. */
export interface Clicks {
  /** Resolves once the hit is in the journal; null if it is already. Never rejects. */
  append(hit: RawHit): Promise<void> | null;
  /** Resolves once everything appended so far is in storage and no longer in the journal. */
  settled(): Promise<void>;
  /** Calls `listener` after each stored batch of hits. */
  onFolded(listener: () => void): void;
  /** Must be called at intervals: deletes old hits, and the journals of ended processes. */
  cleanUp(): void;
}

/** Changed links and hosts in the store. */
export interface Change {
  readonly links: readonly { readonly domainId: number; readonly suffix: string }[];
  readonly hosts: readonly string[];
}

/** The data plane, in whichever thread it runs: the visitors' port, the caches of links, the journal of clicks. */
export interface DataPlane {
  readonly port: number;
  /** The port without TLS, if there is one with TLS. */
  readonly httpPort: number | null;
  /** The origin that it listens on. */
  readonly origin: string;
  readonly clicks: Clicks;
  /** Begins to answer plain visits. The store must be open and migrated. `saltKey`: see `FoldSettings`. */
  open(origin: string, saltKey: string): Promise<void>;
  /** The last step of a start. A shared port is only bound now: until then the other processes get the visitors. */
  listen(): void | Promise<void>;
  change(change: Change): void;
  /** Calls `listener` for a visit to a host name that has no certificate and should have one. */
  onCertificateRequested(listener: (host: string) => void): void;
  /** Its counts since its start, and its current state. */
  measure(): Promise<readonly Metric[]>;
  /** The addresses without a link that visitors requested since the last call. */
  takeNotFound(): Promise<readonly NotFoundCount[]>;
  /** Resolves once every change passed to `change` has been applied; null if all have. */
  caughtUp(): Promise<void> | null;
  /** From now on each answer closes its connection; new ones are still accepted. */
  drain(): void | Promise<void>;
  /** Accepts no new connections, and answers pending requests on the open ones, within `timeout` milliseconds. */
  stopAccepting(timeout: number): Promise<void>;
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

/** Binds the visitors' port at once, so that a port in use is reported first; unless the port is shared, see `listen`. */
export type StartDataPlane = (
  config: Config,
  appServer: AppServerAccess,
  overrides: Overrides,
  log: Log,
) => Promise<DataPlane>;
