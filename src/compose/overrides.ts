import type { HashCost } from '../auth/passwords.ts';
import type { JournalDisk } from '../journal/disk.ts';
import type { RandomBytes } from '../rules/random-text.ts';
import type { Log } from '../telemetry/log.ts';
import type { DelivererParts } from '../webhooks/deliver.ts';

/** Milliseconds from the end of a job's run to its next. */
export const jobIntervals = {
  /** Deletes what has expired. */
  cleanUpInterval: 60 * 60_000,
  /** Clears away the remains of deleted organizations. */
  clearInterval: 2_000,
  /** Continues unfinished corrections of clicks. */
  correctionInterval: 1_000,
  /** Checks custom domains that are due. */
  domainInterval: 2_000,
  /** Reports expired links. */
  expiryInterval: 15_000,
  /** Reports this process's state to the store. */
  heartbeatInterval: 10_000,
  /** Orders due certificates. */
  issueInterval: 1_000,
  /** Stores visits to addresses without a link. */
  notFoundInterval: 5_000,
  /** Reports failing webhooks. */
  outageInterval: 10 * 60_000,
  /** Fetches the pages of new links' destinations. */
  pageInterval: 500,
  /** Mails the authors of refused changes. */
  refusalInterval: 10_000,
  /** Answers other nodes that request a day's salt. */
  saltInterval: 1_000,
  /** Applies scheduled changes, which are promised within a second of their instant. */
  scheduledInterval: 250,
  /** Deletes words that no click has any more. */
  sweepInterval: 5_000,
  /** Reads which version the store requires. */
  versionInterval: 3_000,
} as const;

export type JobInterval = keyof typeof jobIntervals;

/** What a test may replace. */
export interface Overrides extends Partial<Readonly<Record<JobInterval, number>>> {
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
  readonly webhooks?: Pick<DelivererParts, 'limits' | 'pollInterval' | 'random' | 'postOptions'>;
  /** How often destinations that are due for a check or a report are searched for, in milliseconds. */
  readonly watchInterval?: number;
  /** The deadline for sending one mail, in milliseconds. */
  readonly mailDeadline?: number;
}
