import type { Config } from '../config/options.ts';
import type { ClientByPort } from '../http/client-by-port.ts';
import type { RawHit } from '../journal/hit.ts';
import type { Log } from '../telemetry/log.ts';
import type { Overrides } from './overrides.ts';

/** The clicks' way from the answer to storage, as far as others than visitors use it. */
export interface Clicks {
  /** Null, or fulfilled, once the hit will outlive this process. Never rejected. */
  append(hit: RawHit): Promise<void> | null;
  /** Everything appended so far is in storage, and no more in the journal. */
  settled(): Promise<void>;
  /** Calls `listener` after each stretch of hits that has got into storage. */
  onFolded(listener: () => void): void;
  /** To be called now and then: old hits go, and so do the journals of other processes that have died. */
  tidy(): void;
}

/** What has changed in the store, as far as visitors meet it. */
export interface Change {
  readonly links: readonly { readonly domainId: number; readonly suffix: string }[];
  readonly hosts: readonly string[];
}

/** The data plane, wherever it runs: the visitors' port, what is known of links, the journal of clicks. */
export interface Visitors {
  readonly port: number;
  /** The address that is listened on. */
  readonly origin: string;
  readonly clicks: Clicks;
  /** From now on plain visits are answered. The store is there and up to date. */
  open(origin: string): Promise<void>;
  /** The last step of a start. A port that is shared with other processes is listened on only now: until then, visitors are theirs. */
  listen(): void | Promise<void>;
  change(change: Change): void;
  /** Fulfilled once every change that was told is known to visitors; null when that is so already. */
  caughtUp(): Promise<void> | null;
  /** Takes no new connections, and answers what has come on those that are there: within so many milliseconds. */
  stopTaking(patience: number): Promise<void>;
  endConnections(): Promise<void>;
  close(): Promise<void>;
}

/** The server for everything else, and what it shares memory for with the visitors' port. */
export interface ServerBehind {
  readonly port: number;
  readonly clientByPort: ClientByPort;
  /** `MissLimit.memory`. */
  readonly misses: SharedArrayBuffer;
}

/** Takes the visitors' port at once, so that a taken one is known first; unless it is shared, see `listen`. */
export type StartVisitors = (
  config: Config,
  behind: ServerBehind,
  overrides: Overrides,
  log: Log,
) => Promise<Visitors>;
