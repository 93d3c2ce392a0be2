import type { JournalName, Position } from '../journal/files.ts';
import type { Keep } from '../journal/folded-segments.ts';
import type { ClickServer } from '../rules/clicks-url.ts';

/** The settings of the fold's thread. */
export interface FoldSettings {
  readonly dataDir: string;
  readonly saltDir: string;
  /** Of the instance: what nodes tell each other about salts is signed and sealed with it. */
  readonly saltKey: string;
  readonly databaseUrl: string | null;
  /** Where single hits are; null: in the database. */
  readonly clickServer: ClickServer | null;
  /** The public address. */
  readonly origin: string;
  readonly daysKept: number;
  /** Whose time bounds the instants of hits: the database's, or the one that messages tell. */
  readonly clock: 'server' | 'told';
  /** How long segments of the journal stay once they are folded. */
  readonly keep: Keep;
  /** Milliseconds in which a browser's second request of the same is a repeat; 0 where none is. */
  readonly repeatWindow: number;
  /** Clicks a minute of one network on one link, beyond which they are a flood; 0 where none is. */
  readonly floodLimit: number;
  /** Null: the bundled one. */
  readonly countryFile: string | null;
  readonly webhookAddress: 'full' | 'shortened' | 'none';
  /** The journal of this process. */
  readonly journal: JournalName;
}

export type ToFold =
  | { readonly kind: 'start'; readonly settings: FoldSettings; readonly now: number }
  | { readonly kind: 'wake'; readonly end: Position; readonly now: number }
  | { readonly kind: 'tidy'; readonly now: number }
  | { readonly kind: 'stop'; readonly end: Position; readonly now: number };

export type FromFold =
  | { readonly kind: 'folded'; readonly position: Position }
  /** Hits of a journal that another process left behind were folded. */
  | { readonly kind: 'recovered' }
  | { readonly kind: 'trouble'; readonly event: string; readonly facts: Record<string, unknown> }
  /** The database has gone back, so that all that this thread remembers of it may be wrong: a new one is to be started. */
  | { readonly kind: 'restart'; readonly reason: string }
  /** A segment has bytes that are no record, or has records twice. */
  | { readonly kind: 'damage'; readonly facts: Record<string, unknown> }
  | { readonly kind: 'fault'; readonly message: string; readonly stack: string }
  | { readonly kind: 'stopped' };
