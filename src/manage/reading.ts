import { inTheNameOf, type ReadTerms } from '../storage/database.ts';
import type { Context } from './context.ts';

/** Milliseconds that a call's reads may take. Shorter than clients, proxies and the database itself wait. */
const maxReadTime = 8_000;

/**
 * On what terms a call reads. One that only reads has so long from its beginning, and ends with its caller; a stream has
 * as long for each piece. What changes something goes on to its end, so that its answer is true.
 */
export const termsOf = (call: {
  readonly organizationId: number;
  readonly signal: AbortSignal;
  readonly kind: 'read' | 'stream' | 'change';
  readonly begunAt: number;
}): ReadTerms => ({
  organizationId: call.organizationId,
  signal: call.kind === 'change' ? null : call.signal,
  deadline: call.kind === 'read' ? call.begunAt + maxReadTime : Number.POSITIVE_INFINITY,
  patience: maxReadTime,
});

/** The same context, whose reads are made on a caller's terms. */
export const readingFor = <Means extends Context>(context: Means, terms: ReadTerms): Means => ({
  ...context,
  database: inTheNameOf(context.database, terms),
});
