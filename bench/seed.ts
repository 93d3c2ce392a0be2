import { Database } from 'bun:sqlite';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { defaultColours } from '../src/rules/colour.ts';
import { dayLength } from '../src/rules/durations.ts';
import { randomSuffix } from '../src/rules/suffix.ts';
import { countShards } from '../src/storage/links/link-counts.ts';
import { searchText } from '../src/storage/links/links.ts';
import { defaultDomainId } from '../src/storage/schema.ts';
import { temporaryFolder } from './exit-cleanup.ts';
import { type Owner, register } from './owner.ts';
import { startLinnet } from './program.ts';

const year = 365 * dayLength;
const tagNames = ['mail', 'print', 'shop', 'event', 'partner', 'press', 'spring', 'autumn'];

export interface SeededStore extends Disposable {
  readonly dataDir: string;
  readonly owner: Owner;
}

/** A store whose only organization has this many links, created over a year. */
export async function seededStore(links: number): Promise<SeededStore> {
  const folder = temporaryFolder();
  const owner = await firstOwner(folder.path);
  insertLinks(join(folder.path, 'linnet.sqlite'), owner.organizationId, links);
  return { dataDir: folder.path, owner, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

async function firstOwner(dataDir: string): Promise<Owner> {
  await using program = await startLinnet(dataDir);
  return await register(program);
}

function insertLinks(file: string, organizationId: number, links: number): void {
  const database = new Database(file);
  database.run('pragma foreign_keys = on');
  database.run('pragma cache_size = -500000');
  // An interrupted seed is started anew; Linnet restores its own settings when it opens the file.
  database.run('pragma journal_mode = delete');
  database.run('pragma journal_mode = off');
  database.run('pragma synchronous = off');
  const indexes = dropIndexes(database);
  database.transaction(() => {
    const now = Date.now();
    insertTags(database, organizationId, now);
    const insert = database.prepare(`
      insert into links (id, created_at, updated_at, organization_id, domain_id, suffix, destination_url, name,
        qr_foreground, qr_background, qr_png, bot_protection, captcha, search_text)
      values (?10, ?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, 0, 0, ?9) on conflict do nothing`);
    for (let created = 0; created < links; ) {
      const link = {
        suffix: randomSuffix(randomBytes),
        destination_url: `https://shop.example.com/collections/${created % 97}/products/${created}?utm_source=mail&utm_campaign=week-${created % 52}`,
        name: created % 3 === 0 ? null : `Mailing of week ${created % 52}, product ${created}`,
      };
      created += insert.run(
        Math.round(now - year + (year * created) / links),
        organizationId,
        defaultDomainId,
        link.suffix,
        link.destination_url,
        link.name,
        defaultColours.foreground,
        defaultColours.background,
        searchText(link),
        // Explicit, so that ids have no gaps even if a suffix was drawn twice.
        created + 1,
      ).changes;
    }
    database.run(
      'insert into link_tags select links.id, tags.id from links join tags on tags.id = links.id % 32',
    );
    database.run('insert into tag_counts select tag_id, 0, count(*) from link_tags group by tag_id');
    database.run(
      `insert into link_counts (organization_id, domain_id, shard, links)
       select organization_id, domain_id, id % ${countShards}, count(*) from links group by 1, 2, 3`,
    );
  })();
  for (const index of indexes) database.run(index);
  database.close();
}

/** Drops the indexes, and returns their SQL: creating them at the end takes a tenth of the time. */
function dropIndexes(database: Database): string[] {
  const rows = database
    .query(
      `select name, sql from sqlite_master where type = 'index' and tbl_name = 'links' and sql like 'create index%'`,
    )
    .all() as { name: string; sql: string }[];
  for (const { name } of rows) database.run(`drop index ${name}`);
  return rows.map(({ sql }) => sql);
}

/** Tags 1 to 8: every fourth link gets one of them. */
function insertTags(database: Database, organizationId: number, now: number): void {
  const insert = database.prepare(
    'insert into tags (created_at, organization_id, name, name_folded) values (?1, ?2, ?3, ?3)',
  );
  for (const name of tagNames) insert.run(now, organizationId, name);
}
