import type { JobStore } from '../../storage/database.ts';
import { type HitFilter, organizationOf } from '../ledger.ts';
import type { ChunkRow } from './chunk-scan.ts';
import { rowsIn } from './link-groups.ts';

/** Which chunks of an owner are read: those up to `upTo`, and only those with ids between `above` and `below` if these are set. */
export interface ChunkSpan {
  readonly filter: HitFilter;
  readonly upTo: number;
  /** Both exclusive. */
  readonly above?: number;
  readonly below?: number;
}

const chunkFacts =
  'chunks.id, chunks.hits, chunks.organization_id, chunks.first_id, chunks.last_id, chunks.first_at, chunks.last_at';

const ofOrganization = '0 as first_row, chunks.hits as end_row from hit_chunks as chunks';
const ofLinkInSqlite = `links.first_row, links.end_row
  from hit_chunks as chunks cross join hit_chunk_links as links on links.chunk_id = chunks.id`;
/** $3 is the link. Chunks of earlier releases have their links in `hit_chunk_links`. */
const ofLinkInPostgres = `links.first_row, links.end_row, groups.links as link_group from hit_chunks as chunks
  left join lateral (
    select links from hit_link_groups
    where chunk_id = chunks.id and first_at = chunks.first_at and last_link >= $3 order by last_link limit 1
  ) as groups on true
  left join hit_chunk_links as links
    on links.chunk_id = chunks.id and links.link_id = $3 and links.first_at = chunks.first_at`;

interface GroupedRow extends ChunkRow {
  readonly link_group?: Uint8Array | null;
}

/** The chunks that may contain matching hits, and which of their rows belong to the owner. */
export async function rowsOf(
  store: JobStore,
  { filter: { owner, classes, from, to }, upTo, above, below }: ChunkSpan,
  order: 'asc' | 'desc',
): Promise<readonly ChunkRow[]> {
  const isPostgres = store.copy !== null;
  const isLink = owner.kind === 'link';
  const values = [organizationOf(owner), upTo, ...(isLink ? [owner.id] : [])];
  const conditions = ['chunks.organization_id = $1', 'chunks.last_id <= $2'];
  // SQLite numbers parameters by their first appearance.
  if (isLink && !isPostgres) conditions.push('links.link_id = $3');
  const where = (condition: string, value: number | undefined) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition.replace('?', `$${values.length}`));
  };
  where('chunks.last_id > ?', above);
  where('chunks.first_id < ?', below);
  where('chunks.last_at >= ?', from);
  where('chunks.first_at < ?', to);
  where(
    'chunks.classes & ? <> 0',
    classes?.reduce((bits, one) => (one < 0 ? bits : bits | (1 << one)), 0),
  );
  const ofLink = isPostgres ? ofLinkInPostgres : ofLinkInSqlite;
  const version = isPostgres ? "concat(chunks.xmin, '-', chunks.made_at)" : "''";
  const rows = await store.rows<GroupedRow>(
    `select ${chunkFacts}, ${version} as version, ${isLink ? ofLink : ofOrganization}
     where ${conditions.join(' and ')} order by chunks.id ${order}`,
    values,
  );
  return isPostgres && isLink ? rows.flatMap((row) => withRowsOf(owner.id, row)) : rows;
}

/** The chunk with the rows of a link; nothing if it has none. */
function withRowsOf(link: number, { link_group, ...row }: GroupedRow): readonly ChunkRow[] {
  if (!link_group) return row.end_row === null ? [] : [row];
  const rows = rowsIn(link_group, link);
  return rows === null ? [] : [{ ...row, first_row: rows.first, end_row: rows.end }];
}
