import type { JournalName, Position } from '../../journal/files.ts';
import type { Retention } from '../../journal/folded-segments.ts';
import type { ClickServer } from '../../rules/clicks-url.ts';
import type { ClickServerCalls } from '../click-server-calls.ts';

export interface FoldLimits {
  /** Milliseconds in which the same request of a browser counts as a repeat; 0: none does. */
  readonly repeatWindow: number;
  /** Clicks a minute of one network on one link above which they are a flood; 0: none are. */
  readonly floodLimit: number;
}

/** The settings of the fold's thread. */
export interface FoldSettings extends FoldLimits {
  readonly dataDir: string;
  readonly saltDir: string;
  /** The instance's key: it signs and seals the messages about salts between nodes. */
  readonly saltKey: string;
  readonly databaseUrl: string | null;
  /** The server with the individual hits; null: the database. */
  readonly clickServer: ClickServer | null;
  /** The public address. */
  readonly origin: string;
  readonly daysKept: number;
  /** The clock that limits the time of hits: the database's, or the time in messages. */
  readonly clock: 'server' | 'messages';
  /** How long folded segments of the journal are kept. */
  readonly keep: Retention;
  /** Null: the bundled file. */
  readonly countryFile: string | null;
  readonly webhookAddress: 'full' | 'shortened' | 'none';
  /** The journal of this process. */
  readonly journal: JournalName;
}

export type ToFold =
  | { readonly kind: 'start'; readonly settings: FoldSettings; readonly now: number }
  | { readonly kind: 'wake'; readonly end: Position; readonly now: number }
  | { readonly kind: 'cleanUp'; readonly now: number }
  | { readonly kind: 'stop'; readonly end: Position; readonly now: number };

export type FromFold =
  | { readonly kind: 'folded'; readonly position: Position }
  /** Hits of a journal that another process left behind were folded. */
  | { readonly kind: 'recovered' }
  | { readonly kind: 'warning'; readonly event: string; readonly facts: Record<string, unknown> }
  /** Calls of the server with the hits since the last message. */
  | { readonly kind: 'click_server'; readonly calls: ClickServerCalls; readonly isUnavailable: boolean }
  /** The database has gone back in time, so this thread's caches may be wrong: a new thread must be started. */
  | { readonly kind: 'restart'; readonly reason: string }
  /** A segment contains bytes that aren't a record, or records twice. */
  | { readonly kind: 'damage'; readonly facts: Record<string, unknown> }
  | { readonly kind: 'fault'; readonly message: string; readonly stack: string }
  | { readonly kind: 'stopped' };
