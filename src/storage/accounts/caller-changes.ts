import { type LinkChange, recordChange } from '../changes.ts';
import type { Queries } from '../schema.ts';

/**
 * No domain has this id: in the feed it marks a user instead of suffixes. Nodes that don't know it treat it as a missing link.
 */
const users = -2;

/** Written in the transaction that revokes a user's key or changes their permissions, so that every node learns of it. */
export const recordCallerChange = (queries: Queries, userId: number, now: number): Promise<void> =>
  recordChange(queries, { domain_id: users, suffix: String(userId) }, now);

/** The user that a change is about; null if it is about something else. */
export const changedUser = ({
  domain_id,
  suffixes,
}: Pick<LinkChange, 'domain_id' | 'suffixes'>): number | null =>
  domain_id === users ? Number(suffixes) : null;
