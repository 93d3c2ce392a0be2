import { type LinkChange, recordChange } from './changes.ts';
import type { Queries } from './schema.ts';

/**
 * Changes of anything but links have one of these in the feed, in place of the id of a domain, and what has changed instead of
 * suffixes. No domain has such an id. Nodes that don't know it treat the change as that of a missing link.
 */
const marks = { host: -1, user: -2, other: -3 } as const;
type Mark = keyof typeof marks;

const record = (queries: Queries, mark: Mark, what: string, now: number): Promise<void> =>
  recordChange(queries, { domain_id: marks[mark], suffix: what }, now);

/** Written in the transaction that changes a host's meaning, so that every node learns of it. */
export const recordHostChange = (queries: Queries, host: string, now: number): Promise<void> =>
  record(queries, 'host', host, now);

/** Written in the transaction that revokes a user's key or changes their permissions, so that every node learns of it. */
export const recordCallerChange = (queries: Queries, userId: number, now: number): Promise<void> =>
  record(queries, 'user', String(userId), now);

type Changed =
  | 'account'
  | 'invitation'
  | 'organization'
  | 'scheduled change'
  | 'tag'
  | 'click correction'
  | 'UTM template';

/**
 * Written in the transaction of a change that no node caches: it is in the feed so that nodes can name it if the database returns to
 * a state from before it.
 */
export const recordOtherChange = (queries: Queries, what: Changed, id: number, now: number): Promise<void> =>
  record(queries, 'other', `${what} ${id}`, now);

/** What a change is about: a host, the id of a user, or anything else, such as "tag 17". Null if it is about links. */
export function markedChange({
  domain_id,
  suffixes,
}: Pick<LinkChange, 'domain_id' | 'suffixes'>): { readonly mark: Mark; readonly what: string } | null {
  const mark = (['host', 'user', 'other'] as const).find((one) => marks[one] === domain_id);
  return mark === undefined ? null : { mark, what: suffixes };
}
