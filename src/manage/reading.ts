import { inTheNameOf, type ReadTerms } from '../storage/database.ts';
import type { Context } from './context.ts';

/** Milliseconds that the store may take for all of a call. A person still waits for the answer. */
const maxCallTime = 2_000;
/** For calls that ask or change much. Shorter than clients, proxies and the database itself wait. */
const maxLongCallTime = 8_000;

/**
 * On what terms a call reads and changes. One that only reads has so long from its beginning, and ends with its caller; a
 * stream has as long for each piece. What changes something doesn't end with its caller.
 */
export const termsOf = (call: {
  readonly organizationId: number;
  readonly signal: AbortSignal;
  readonly kind: 'read' | 'stream' | 'change';
  readonly begunAt: number;
  readonly isLong: boolean;
}): ReadTerms => {
  const patience = call.isLong || call.kind === 'stream' ? maxLongCallTime : maxCallTime;
  return {
    organizationId: call.organizationId,
    signal: call.kind === 'change' ? null : call.signal,
    deadline: call.kind === 'read' ? call.begunAt + patience : Number.POSITIVE_INFINITY,
    // On SQLite a change waits for those before it.
    patience: call.kind === 'change' ? maxLongCallTime : patience,
    ...(call.kind === 'change' ? { changeDeadline: performance.now() + patience } : {}),
  };
};

/** The same context, whose reads are made on a caller's terms. */
export const readingFor = <Means extends Context>(context: Means, terms: ReadTerms): Means => ({
  ...context,
  database: inTheNameOf(context.database, terms),
});
