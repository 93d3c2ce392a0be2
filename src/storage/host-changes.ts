import { type LinkChange, recordChange } from './changes.ts';
import type { Queries } from './schema.ts';

/** No domain has this id: in the feed it marks a host instead of suffixes. */
const hosts = -1;

/** Written in the transaction that changes a host's meaning, so that every node learns of it. */
export const recordHostChange = (queries: Queries, host: string, now: number): Promise<void> =>
  recordChange(queries, { domain_id: hosts, suffix: host }, now);

/** The host that a change is about; null if it is about links. */
export const changedHost = ({
  domain_id,
  suffixes,
}: Pick<LinkChange, 'domain_id' | 'suffixes'>): string | null => (domain_id === hosts ? suffixes : null);
