import { type ReadTerms, withTerms } from '../storage/database.ts';
import type { Context } from './context.ts';

/** Milliseconds that the store may take for all of a call, while a person still waits for the answer. */
const maxCallTime = 2_000;
/** For calls that query or change much. Shorter than the timeouts of clients, proxies and the database. */
const maxLongCallTime = 8_000;

/**
 * The terms for a call's reads and changes. A call that only reads has this time from its beginning, and is aborted if its client
 * leaves; a stream has this time for each chunk. A call that changes something isn't aborted if its client leaves.
 */
export const termsOf = (call: {
  readonly organizationId: number;
  readonly signal: AbortSignal;
  readonly kind: 'read' | 'stream' | 'change';
  readonly begunAt: number;
  readonly isLong: boolean;
}): ReadTerms => {
  const timeout = call.isLong || call.kind === 'stream' ? maxLongCallTime : maxCallTime;
  return {
    organizationId: call.organizationId,
    signal: call.kind === 'change' ? null : call.signal,
    deadline: call.kind === 'read' ? call.begunAt + timeout : Number.POSITIVE_INFINITY,
    // On SQLite a change waits for earlier ones.
    timeout: call.kind === 'change' ? maxLongCallTime : timeout,
    ...(call.kind === 'change' ? { changeDeadline: performance.now() + timeout } : {}),
  };
};

/** The same context, whose reads use a caller's terms. */
export const readingFor = <Means extends Context>(context: Means, terms: ReadTerms): Means => ({
  ...context,
  database: withTerms(context.database, terms),
});
