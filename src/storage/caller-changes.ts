import { type LinkChange, recordChange } from './changes.ts';
import type { Queries } from './schema.ts';

/** No domain has this id: in the feed it marks a user instead of suffixes. To nodes that don't know it, it is a link that isn't there. */
const users = -2;

/** Written in the transaction that ends a key of a user or changes what they may do, so that every node learns of it. */
export const recordCallerChange = (queries: Queries, userId: number, now: number): Promise<void> =>
  recordChange(queries, { domain_id: users, suffix: String(userId) }, now);

/** The user that a change is about; null when it is about something else. */
export const changedUser = ({
  domain_id,
  suffixes,
}: Pick<LinkChange, 'domain_id' | 'suffixes'>): number | null =>
  domain_id === users ? Number(suffixes) : null;
