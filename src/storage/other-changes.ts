import { type LinkChange, recordChange } from './changes.ts';
import type { Queries } from './schema.ts';

/** No domain has this id. Nodes of an earlier version treat it as a missing link. */
const others = -3;

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
  recordChange(queries, { domain_id: others, suffix: `${what} ${id}` }, now);

/** What a change of this kind is about, such as "tag 17"; null for any other. */
export const otherChange = ({
  domain_id,
  suffixes,
}: Pick<LinkChange, 'domain_id' | 'suffixes'>): string | null => (domain_id === others ? suffixes : null);
