import type { HashCost } from '../auth/passwords.ts';
import type { JournalDisk } from '../journal/disk.ts';
import type { RandomBytes } from '../rules/random-text.ts';
import type { Log } from '../telemetry/log.ts';
import type { DelivererParts } from '../webhooks/deliver.ts';

/** What a test may replace. */
export interface Overrides {
  readonly now?: () => number;
  readonly randomBytes?: RandomBytes;
  readonly log?: Log;
  /** What hashing a password costs. */
  readonly hashCost?: HashCost;
  /** How often the change feed is polled, in milliseconds. */
  readonly pollInterval?: number;
  /** For how long the holder of an API key is kept without a look, in milliseconds. */
  readonly keyLifetime?: number;
  /** What the journal is written to. */
  readonly journalDisk?: JournalDisk;
  /** For the bench: hits are answered and dropped, or written and never folded. */
  readonly hits?: 'dropped' | 'unfolded';
  /** How often an idle stream sends a heartbeat, in milliseconds. */
  readonly heartbeat?: number;
  /** How often the files of the certificate are looked at, in milliseconds. */
  readonly certificateInterval?: number;
  /** For how long a handshake waits for a certificate that is being ordered, in milliseconds. */
  readonly handshakePatience?: number;
  /** How often certificates are searched for that are due, in milliseconds. */
  readonly issueInterval?: number;
  readonly webhooks?: Pick<DelivererParts, 'limits' | 'pollInterval' | 'random' | 'postOptions'>;
  /** How often the store is asked which version it needs, in milliseconds. */
  readonly versionInterval?: number;
  /** How often expired links are searched for, in milliseconds. */
  readonly expiryInterval?: number;
  /** How often scheduled changes are searched for that are due, in milliseconds. */
  readonly scheduledInterval?: number;
  /** How often visits to addresses without a link are stored, in milliseconds. */
  readonly notFoundInterval?: number;
  /** How often links are searched for whose destination is to be looked at, in milliseconds. */
  readonly pageInterval?: number;
  /** How often authors of refused changes are mailed, in milliseconds. */
  readonly refusalInterval?: number;
  /** How often failing webhooks are told of, in milliseconds. */
  readonly outageInterval?: number;
  /** How often corrections of clicks are searched for that are to go on, in milliseconds. */
  readonly correctionInterval?: number;
  /** How often it is looked at whether words are to be deleted, in milliseconds. */
  readonly sweepInterval?: number;
  /** How often destinations are searched for that are to be looked at or told of, in milliseconds. */
  readonly watchInterval?: number;
  /** The deadline for sending one mail, in milliseconds. */
  readonly mailDeadline?: number;
  /** How often what deleted organizations have left is cleared away, in milliseconds. */
  readonly clearInterval?: number;
  /** How often this process tells the store of itself, in milliseconds. */
  readonly heartbeatInterval?: number;
  /** How often domains are searched for whose check is due, in milliseconds. */
  readonly domainInterval?: number;
}
