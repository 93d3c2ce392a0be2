import type { HashCost } from '../auth/passwords.ts';
import type { JournalDisk } from '../journal/disk.ts';
import type { RandomBytes } from '../rules/random-text.ts';
import type { Log } from '../telemetry/log.ts';
import type { DelivererParts } from '../webhooks/deliver.ts';
import type { JobInterval } from './job-intervals.ts';

/** What a test may replace. */
export interface Overrides extends Partial<Readonly<Record<JobInterval, number>>> {
  readonly now?: () => number;
  readonly randomBytes?: RandomBytes;
  readonly log?: Log;
  readonly hashCost?: HashCost;
  /** How often the change feed is polled, in milliseconds. */
  readonly pollInterval?: number;
  /** How long the holder of an API key is cached without a lookup, in milliseconds. */
  readonly keyLifetime?: number;
  readonly journalDisk?: JournalDisk;
  /** For the benchmark: hits are answered and dropped, or written and never folded. */
  readonly hits?: 'dropped' | 'unfolded';
  /** After how many milliseconds a large body that is still arriving gives way to others. */
  readonly bodyPatience?: number;
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
