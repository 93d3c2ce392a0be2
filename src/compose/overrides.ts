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
  /** The cost of hashing a password. */
  readonly hashCost?: HashCost;
  /** How often the change feed is polled, in milliseconds. */
  readonly pollInterval?: number;
  /** How long the holder of an API key is cached without a lookup, in milliseconds. */
  readonly keyLifetime?: number;
  /** The disk that the journal writes to. */
  readonly journalDisk?: JournalDisk;
  /** For the benchmark: hits are answered and dropped, or written and never folded. */
  readonly hits?: 'dropped' | 'unfolded';
  /** How often an idle stream sends a heartbeat, in milliseconds. */
  readonly heartbeat?: number;
  /** How often the certificate files are checked, in milliseconds. */
  readonly certificateInterval?: number;
  /** How long a handshake waits for a certificate that is being ordered, in milliseconds. */
  readonly handshakeTimeout?: number;
  /** How often due certificates are searched for, in milliseconds. */
  readonly issueInterval?: number;
  readonly webhooks?: Pick<DelivererParts, 'limits' | 'pollInterval' | 'random' | 'postOptions'>;
  /** How often the store is asked which version it requires, in milliseconds. */
  readonly versionInterval?: number;
  /** How often expired links are searched for, in milliseconds. */
  readonly expiryInterval?: number;
  /** How often due scheduled changes are searched for, in milliseconds. */
  readonly scheduledInterval?: number;
  /** How often visits to addresses without a link are stored, in milliseconds. */
  readonly notFoundInterval?: number;
  /** How often links whose destination's page is due are searched for, in milliseconds. */
  readonly pageInterval?: number;
  /** How often authors of refused changes are mailed, in milliseconds. */
  readonly refusalInterval?: number;
  /** How often failing webhooks are reported, in milliseconds. */
  readonly outageInterval?: number;
  /** How often unfinished corrections of clicks are searched for, in milliseconds. */
  readonly correctionInterval?: number;
  /** How often to check whether words have to be deleted, in milliseconds. */
  readonly sweepInterval?: number;
  /** How often destinations that are due for a check or a report are searched for, in milliseconds. */
  readonly watchInterval?: number;
  /** The deadline for sending one mail, in milliseconds. */
  readonly mailDeadline?: number;
  /** How often the remains of deleted organizations are cleared away, in milliseconds. */
  readonly clearInterval?: number;
  /** How often this process reports its state to the store, in milliseconds. */
  readonly heartbeatInterval?: number;
  /** How often domains due for a check are searched for, in milliseconds. */
  readonly domainInterval?: number;
}
