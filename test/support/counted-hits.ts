import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { SQL } from 'bun';
import { HitPack, type PackRow } from '../../src/ledger/packs/hit-pack.ts';

/** The number of hits of a link, according to each table that counts them. */
interface CountedHits {
  readonly ledger: number;
  readonly distinctVisitors: number;
  readonly linkTotal: number;
  readonly organizationTotal: number;
  readonly clicks: number;
}

export interface HitCounter {
  of(linkId: number): Promise<CountedHits>;
  close(): Promise<void>;
}

/** `lastMergedId` is the last id in chunks: rows and packs up to it are superseded. */
const countsSql = (link: string, lastMergedId = '0') => `select
  (select count(*) from hits where link_id = ${link} and id > ${lastMergedId}) as ledger,
  (select coalesce(sum(visitors), 0) from link_hours where link_id = ${link}) as visitors,
  (select coalesce(sum(click + coalesce(page, 0) + coalesce(preview, 0) + coalesce(bot, 0) + coalesce(prefetch, 0) + coalesce(head, 0)
    + coalesce(repeat, 0) + coalesce(flood, 0)), 0) from link_hours where link_id = ${link}) as link_total,
  (select coalesce(sum(hits), 0) from organization_rollups where dimension = 0) as organization_total,
  (select coalesce(sum(clicks), 0) from link_clicks where link_id = ${link}) as clicks`;

type CountedRow = Record<string, unknown>;

const read = (row: CountedRow): CountedHits => ({
  ledger: Number(row.ledger),
  distinctVisitors: Number(row.visitors),
  linkTotal: Number(row.link_total),
  organizationTotal: Number(row.organization_total),
  clicks: Number(row.clicks),
});

/** Counts directly in the database, over its own connection. */
export function hitCounter(dataDir: string, databaseUrl: string): HitCounter {
  if (databaseUrl !== '') {
    const sql = new SQL({ url: databaseUrl, max: 1 });
    return {
      of: (linkId) =>
        sql.begin('isolation level repeatable read', async (transaction) => {
          const counted = read((await transaction.unsafe(countsSql('$1'), [linkId]))[0]);
          const packs = (await transaction.unsafe(packsOf('$1'), [linkId])) as PackRow[];
          return { ...counted, ledger: counted.ledger + packedHits(packs, linkId) };
        }),
      close: () => sql.end(),
    };
  }
  const database = new Database(join(dataDir, 'linnet.sqlite'), { readonly: true });
  database.run('pragma busy_timeout = 5000');
  return {
    of: async (linkId) =>
      database.transaction(() => {
        const chunks = database.query(chunkedHits).get(linkId) as { beyond: number; hits: number };
        const counted = read(database.query(countsSql('?1', '?2')).get(linkId, chunks.beyond) as CountedRow);
        const packs = database.query(packsOf('?1', '?2')).all(linkId, chunks.beyond) as PackRow[];
        return { ...counted, ledger: counted.ledger + packedHits(packs, linkId) + chunks.hits };
      })(),
    close: async () => database.close(),
  };
}

const packsOf = (link: string, lastMergedId = '0') =>
  `select id, hits, cells from hit_packs where id > ${lastMergedId} and coalesce(organization_id = (select organization_id from links where id = ${link}), true)`;

const chunkedHits = `select
  (select coalesce(max(last_id), 0) from hit_chunks
    where organization_id = (select organization_id from links where id = ?1)) as beyond,
  (select coalesce(sum(end_row - first_row), 0) from hit_chunk_links where link_id = ?1) as hits`;

/** The number of a link's hits that are in packs. */
function packedHits(packs: readonly PackRow[], linkId: number): number {
  return packs
    .map((row) => new HitPack({ ...row, id: Number(row.id), hits: Number(row.hits) }))
    .flatMap((pack) => [...pack.column('link_id')])
    .filter((id) => id === linkId).length;
}
