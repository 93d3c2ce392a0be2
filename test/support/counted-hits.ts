import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import { SQL } from 'bun';
import { HitPack, type PackRow } from '../../src/ledger/hit-pack.ts';

/** What storage says of one link's hits, each way of counting by itself. */
export interface CountedHits {
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

const question = (link: string) => `select
  (select count(*) from hits where link_id = ${link}) as ledger,
  (select coalesce(sum(visitors), 0) from link_hours where link_id = ${link}) as visitors,
  (select coalesce(sum(click + page + preview + bot + prefetch + head + repeat + flood), 0) from link_hours where link_id = ${link}) as link_total,
  (select coalesce(sum(hits), 0) from organization_rollups where dimension = 0) as organization_total,
  (select coalesce(sum(clicks), 0) from link_clicks where link_id = ${link}) as clicks`;

const read = (row: Record<string, unknown>): CountedHits => ({
  ledger: Number(row.ledger),
  distinctVisitors: Number(row.visitors),
  linkTotal: Number(row.link_total),
  organizationTotal: Number(row.organization_total),
  clicks: Number(row.clicks),
});

/** Counts from outside of the program, with a connection of its own. */
export function hitCounter(dataDir: string, databaseUrl: string): HitCounter {
  if (databaseUrl !== '') {
    const sql = new SQL({ url: databaseUrl, max: 1 });
    return {
      of: async (linkId) => read((await sql.unsafe(question('$1'), [linkId]))[0]),
      close: () => sql.end(),
    };
  }
  const database = new Database(join(dataDir, 'linnet.sqlite'), { readonly: true });
  database.run('pragma busy_timeout = 5000');
  return {
    of: async (linkId) =>
      database.transaction(() => {
        const counted = read(database.query(question('?1')).get(linkId) as Record<string, unknown>);
        return { ...counted, ledger: counted.ledger + packedHits(database, linkId) };
      })(),
    close: async () => database.close(),
  };
}

/** How many hits of a link lie in packs. */
function packedHits(database: Database, linkId: number): number {
  const packs = database
    .query(
      'select id, hits, cells from hit_packs where id in (select pack_id from hit_pack_links where link_id = ?)',
    )
    .all(linkId) as PackRow[];
  return packs
    .map((row) => new HitPack(row))
    .flatMap((pack) => Array.from({ length: pack.count }, (_, row) => pack.hit(row)))
    .filter((hit) => hit.link_id === linkId).length;
}
