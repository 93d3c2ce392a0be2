import { type ExpressionBuilder, type RawBuilder, type Selectable, sql } from 'kysely';
import { dialectOf } from '../dialect.ts';
import { jsonRows } from '../json-rows.ts';
import type { LinkRow } from '../links/link-columns.ts';
import { prepared, runWithCommit, type Statement } from '../prepared.ts';
import { deleteFound, hasRow } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';

export type DuePage = Pick<Selectable<LinkRow>, 'id' | 'destination_url'>;

/** A link whose destination's page is to be fetched. */
interface PageToFetch {
  /** Null: its page isn't fetched. */
  readonly host: string | null;
  readonly link_id: number;
}

const dueRows = (queries: Queries, json: string) =>
  jsonRows(dialectOf(queries), { host: 'text', link_id: 'integer' }, json);

/** An existing row is locked, so that it isn't deleted because of the link's earlier destination. */
const insertDuePages = prepared((queries, json: string) =>
  addingDueOf(sql`select host, link_id from ${dueRows(queries, json)} as due where true`).compile(queries),
);

const insertDueOfAddresses = prepared((queries, json: string) => {
  const columns = { host: 'text', domain_id: 'integer', suffix: 'text' } as const;
  return addingDueOf(sql`
    select sent.host, links.id from ${jsonRows(dialectOf(queries), columns, json)} as sent
    join links on links.domain_id = sent.domain_id and links.suffix = sent.suffix where true`).compile(
    queries,
  );
});

/** Adds links by their addresses, before their ids are known. An address that another link has is dropped when its turn comes. */
export async function addDueOfAddresses(
  queries: Queries,
  pages: readonly { readonly host: string; readonly domain_id: number; readonly suffix: string }[],
): Promise<void> {
  const rows = pages.map(({ host, domain_id, suffix }) => [host, domain_id, suffix]);
  if (rows.length > 0) await insertDueOfAddresses(queries, JSON.stringify(rows));
}

/** Adds the rows of a query, which are hosts and links. */
export const addingDueOf = (query: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into due_pages (host, link_id) ${query}
  on conflict (host, link_id) do update set link_id = excluded.link_id`;

/** Adds links to the queue, as statements. In a transaction that changes a link's destination, they follow that change. */
export function addingDuePages(queries: Queries, pages: readonly PageToFetch[]): Statement[] {
  const due = pages.flatMap(({ host, link_id }) => (host === null ? [] : [[host, link_id]]));
  return due.length === 0 ? [] : [insertDuePages.statement(queries, JSON.stringify(due))];
}

export const addDuePages = (queries: Queries, pages: readonly PageToFetch[]): Promise<void> =>
  runWithCommit(queries, addingDuePages(queries, pages));

/**
 * Hosts with a due page from which no node is fetching, in order, the first ones after `after`. Goes from host to host through the index,
 * so that one with a million due pages costs no more than another.
 */
export async function hostsDue(
  queries: Queries,
  now: number,
  { after, max }: { readonly after: string; readonly max: number },
): Promise<string[]> {
  const rows = await selectHostsDue(queries, now, after, max);
  return rows.map(({ host }) => host);
}

const selectHostsDue = prepared((queries, now: number, after: string, max: number) =>
  sql<{ host: string }>`
    with recursive waiting(host) as (
      select min(host) from due_pages where host > ${after}
      union all
      select (select min(host) from due_pages where host > waiting.host) from waiting where waiting.host is not null
    )
    select host from waiting
    where host is not null
      and coalesce((select free_at from page_hosts where page_hosts.host = waiting.host), 0) <= ${now}
    limit ${max}`.compile(queries),
);

/** The newest links of a host, locked, newest first; `destination_url` is null if the link was deleted. */
export async function lockNewestDue(
  queries: Queries,
  host: string,
  max: number,
): Promise<{ id: number; destination_url: string | null }[]> {
  const due = await queries
    .selectFrom('due_pages')
    .select('link_id')
    .where('host', '=', host)
    .orderBy('link_id', 'desc')
    .limit(max)
    .forUpdate()
    .execute();
  const ids = due.map(({ link_id }) => link_id);
  if (ids.length === 0) return [];
  // Read after the rows are locked: a change of a link that is committed later adds its row again.
  const links = await queries
    .selectFrom('links')
    .select(['id', 'destination_url'])
    .where('id', 'in', ids)
    .execute();
  const urls = new Map(links.map((link) => [link.id, link.destination_url]));
  return ids.map((id) => ({ id, destination_url: urls.get(id) ?? null }));
}

export async function deleteDue(queries: Queries, host: string, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await queries.deleteFrom('due_pages').where('host', '=', host).where('link_id', 'in', ids).execute();
}

/**
 * Stores what was found and removes the link from the queue; unless it has another destination by now, whose page is due. A row is
 * wide: nothing is written if nothing was found.
 */
export async function finishDue(
  queries: Queries,
  host: string,
  { id, destination_url }: DuePage,
  found: { readonly page_title: string | null; readonly page_icon: string | null },
): Promise<void> {
  const link = await queries
    .selectFrom('links')
    .select(['page_title', 'page_icon'])
    .where('id', '=', id)
    .where('destination_url', '=', destination_url)
    .forUpdate()
    .executeTakeFirst();
  if (link === undefined) return;
  if (link.page_title !== found.page_title || link.page_icon !== found.page_icon)
    await queries.updateTable('links').set(found).where('id', '=', id).execute();
  await deleteDue(queries, host, [id]);
}

/** Those of these links whose page was not fetched, or had neither a title nor an icon. */
export const linksWithoutPage = (queries: Queries, ids: readonly number[]): Promise<DuePage[]> =>
  queries
    .selectFrom('links')
    .select(['id', 'destination_url'])
    .where('id', 'in', ids)
    .where('page_title', 'is', null)
    .where('page_icon', 'is', null)
    .execute();

/** Deletes some rows of deleted links; returns how many were found. */
export async function deleteDueOfDeletedLinks(queries: Queries, limit: number): Promise<number> {
  const rows = await queries
    .selectFrom('due_pages')
    .select(['host', 'link_id'])
    .where(isLinkDeleted)
    .limit(limit)
    .forUpdate()
    .execute();
  const json = JSON.stringify(rows.map(({ host, link_id }) => [host, link_id]));
  // Checked again after the rows are locked: a link may have been restored.
  await queries
    .deleteFrom('due_pages')
    .where(sql<boolean>`(host, link_id) in (select host, link_id from ${dueRows(queries, json)} as found)`)
    .where(isLinkDeleted)
    .execute();
  return rows.length;
}

const isLinkDeleted = ({ not, exists, selectFrom }: ExpressionBuilder<Schema, 'due_pages'>) =>
  not(exists(selectFrom('links').select('links.id').whereRef('links.id', '=', 'due_pages.link_id')));

export async function hostsWithMoreDue(queries: Queries, max: number): Promise<string[]> {
  const rows = await queries
    .selectFrom('due_pages')
    .select('host')
    .groupBy('host')
    .having(({ fn }) => fn.countAll(), '>', max)
    .execute();
  return rows.map(({ host }) => host);
}

/** Deletes some rows of a host beyond its newest ones; returns how many. */
export function deleteExcessDue(
  queries: Queries,
  { host, max, limit }: { readonly host: string; readonly max: number; readonly limit: number },
): Promise<number> {
  const newest = queries.selectFrom('due_pages').where('host', '=', host).orderBy('link_id', 'desc');
  return deleteFound(queries, 'due_pages', ['host', 'link_id'], newest.limit(limit).offset(max));
}

/** False while this or another node is fetching from the host. */
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
