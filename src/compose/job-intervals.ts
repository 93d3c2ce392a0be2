import { hourLength, minuteLength } from '../rules/durations.ts';

/** Milliseconds from the end of a job's run to its next. */
export const jobIntervals = {
  /** Deletes what has expired. */
  cleanUpInterval: hourLength,
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
  outageInterval: 10 * minuteLength,
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
