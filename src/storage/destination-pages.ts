import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { dialectOf } from './dialect.ts';
import { jsonRows } from './json-rows.ts';
import type { LinkRow } from './link-columns.ts';
import { hasRow } from './rows.ts';
import type { Queries } from './schema.ts';

export type DuePage = Pick<Selectable<LinkRow>, 'id' | 'destination_url'>;

export interface StoredIcon {
  readonly type: string;
  /** In base64. */
  readonly content: string;
}

export const hasDuePages = (queries: Queries, now: number): Promise<boolean> =>
  hasRow(queries.selectFrom('links').select('id').where('page_due_at', '<=', now).limit(1));

/** Links whose destination's page is due, longest due first. No other node gets them before the transaction ends. */
export async function lockDuePages(queries: Queries, now: number, max: number): Promise<DuePage[]> {
  const due = queries
    .selectFrom('links')
    .select(['id', 'destination_url'])
    .where('page_due_at', '<=', now)
    .orderBy('page_due_at')
    .limit(max);
  return (dialectOf(queries).locksRows ? due.forUpdate().skipLocked() : due).execute();
}

/** One statement: each update of a link writes its row again. */
export async function setPagesDue(
  queries: Queries,
  pages: readonly { readonly id: number; readonly until: number }[],
): Promise<void> {
  if (pages.length === 0) return;
  const rows = jsonRows(
    dialectOf(queries),
    { id: 'integer', until: 'integer' },
    JSON.stringify(pages.map(({ id, until }) => [id, until])),
  );
  await sql`update links set page_due_at = due.until from ${rows} as due where links.id = due.id`.execute(
    queries,
  );
}

/** Stores what was found, unless the link has another destination by now: that one is due by itself. */
export async function setPage(
  queries: Queries,
  { id, destination_url }: DuePage,
  found: { readonly page_title: string | null; readonly page_icon: string | null },
): Promise<void> {
  await queries
    .updateTable('links')
    .set({ ...found, page_due_at: null })
    .where('id', '=', id)
    .where('destination_url', '=', destination_url)
    .execute();
}

/** False while this or another node is asking the host. */
export const claimHost = (queries: Queries, host: string, now: number, until: number): Promise<boolean> =>
  hasRow(
    queries
      .insertInto('page_hosts')
      .values({ host, free_at: until })
      .onConflict((conflict) =>
        conflict.column('host').doUpdateSet({ free_at: until }).where('page_hosts.free_at', '<=', now),
      )
      .returning('host'),
  );

export async function freeHost(queries: Queries, host: string, at: number): Promise<void> {
  await queries.updateTable('page_hosts').set({ free_at: at }).where('host', '=', host).execute();
}

export async function deleteFreeHosts(queries: Queries, before: number): Promise<void> {
  await queries.deleteFrom('page_hosts').where('free_at', '<', before).execute();
}

export const hasIcon = (queries: Queries, key: string, since: number): Promise<boolean> =>
  hasRow(
    queries.selectFrom('page_icons').select('key').where('key', '=', key).where('fetched_at', '>=', since),
  );

export const findIcon = (queries: Queries, key: string): Promise<StoredIcon | undefined> =>
  queries.selectFrom('page_icons').select(['type', 'content']).where('key', '=', key).executeTakeFirst();

export async function storeIcon(
  queries: Queries,
  key: string,
  { type, content }: StoredIcon,
  now: number,
): Promise<void> {
  const icon = { type, content, fetched_at: now };
  await queries
    .insertInto('page_icons')
    .values({ key, ...icon })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(icon))
    .execute();
}

/** Keeps only so many icons, the newest ones. */
export async function deleteOldestIcons(queries: Queries, kept: number): Promise<void> {
  await sql`delete from page_icons where fetched_at < (
    select fetched_at from page_icons order by fetched_at desc limit 1 offset ${kept}
  )`.execute(queries);
}
