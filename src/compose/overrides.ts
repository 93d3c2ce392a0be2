import type { HashCost } from '../auth/passwords.ts';
import type { JournalDisk } from '../journal/disk.ts';
import type { RandomBytes } from '../rules/random-text.ts';
import type { Log } from '../telemetry/log.ts';
import type { DelivererParts } from '../webhooks/deliver.ts';

/** What a test may put in the place of the world. */
export interface Overrides {
  readonly now?: () => number;
  readonly randomBytes?: RandomBytes;
  readonly log?: Log;
  /** What hashing a password costs. */
  readonly hashCost?: HashCost;
  /** How often the change feed is looked at, in milliseconds. */
  readonly pollInterval?: number;
  /** What the journal is written to. */
  readonly journalDisk?: JournalDisk;
  /** For the bench: hits that are answered and forgotten, or written and never folded. */
  readonly hits?: 'dropped' | 'unfolded';
  /** How often a stream that has nothing to tell says so, in milliseconds. */
  readonly heartbeat?: number;
  readonly webhooks?: Pick<DelivererParts, 'limits' | 'pollInterval' | 'random' | 'means'>;
  /** How often expired links are looked for, in milliseconds. */
  readonly expiryInterval?: number;
  /** For how long one mail may be under way, in milliseconds. */
  readonly mailDeadline?: number;
  /** How often domains are looked for whose check is due, in milliseconds. */
  readonly domainInterval?: number;
}
