import { sql } from 'kysely';
import { dialectOf } from '../dialect.ts';
import { jsonRows, jsonTexts } from '../json-rows.ts';
import { prepared } from '../prepared.ts';
import { hasRow, idsOf, insertInParts } from '../rows.ts';
import type { Queries } from '../schema.ts';
import { settleAll } from '../settle-all.ts';
import { dropLinks } from './insert-links.ts';
import {
  type Alias,
  addressKey,
  compareAddresses,
  type LinkAddress,
  readAliases,
  writeAliases,
} from './link-addresses.ts';
import { searchText } from './links.ts';

/** What keeps an address from new links: a deleted link that had it, or an alias. */
export interface HeldAddress extends LinkAddress {
  /** Of the link. */
  readonly id: number;
  readonly organization_id: number;
  /** Null: the link exists. 0: it was deleted permanently, as by a version without aliases. */
  readonly deleted_at: number | null;
  readonly is_alias: number;
}

/** Which of these addresses are held by deleted links and by aliases. */
export async function heldAmong(queries: Queries, addresses: readonly LinkAddress[]): Promise<HeldAddress[]> {
  const byDomain = [...Map.groupBy(addresses, (address) => address.domain_id)];
  const found = await settleAll(
    ...byDomain.map(([domainId, some]) =>
      findHeld(queries, domainId, JSON.stringify(some.map(({ suffix }) => [suffix]))),
    ),
  );
  return found.flat();
}

const findHeld = prepared<[domainId: number, json: string], HeldAddress>((queries, domainId, json) =>
  queries
    .selectFrom('link_bin')
    .select(['id', 'organization_id', 'domain_id', 'suffix'])
    .select(sql<number | null>`deleted_at`.as('deleted_at'))
    .select(sql<number>`0`.as('is_alias'))
    .where('domain_id', '=', domainId)
    .where('suffix', 'in', jsonTexts(dialectOf(queries), json))
    .unionAll(
      queries
        .selectFrom('link_aliases as alias')
        .select(['alias.link_id as id', 'alias.organization_id', 'alias.domain_id', 'alias.suffix'])
        .select(
          sql<number | null>`case when exists (select 1 from links where links.id = alias.link_id) then null
            else coalesce((select deleted_at from link_bin where link_bin.id = alias.link_id), 0) end`.as(
            'deleted_at',
          ),
        )
        .select(sql<number>`1`.as('is_alias'))
        .where('alias.domain_id', '=', domainId)
        .where('alias.suffix', 'in', jsonTexts(dialectOf(queries), json)),
    )
    .compile(),
);

export interface RequestedAddress extends LinkAddress {
  readonly organization_id: number;
}

/**
 * Reserves these addresses until this transaction ends, and returns the keys of those that aren't a link's own address.
 *
 * Two tables contain addresses, and one unique index can't span them. So each address briefly becomes that of a row in `links`: a
 * transaction that creates a link there waits at that index for this one, and checks the aliases afterwards.
 */
export async function claimAddresses(
  queries: Queries,
  addresses: readonly RequestedAddress[],
): Promise<ReadonlySet<string>> {
  const json = JSON.stringify(
    addresses
      .toSorted(compareAddresses)
      .map(({ domain_id, suffix, organization_id }) => [domain_id, suffix, organization_id]),
  );
  const columns = { domain_id: 'integer', suffix: 'text', organization_id: 'integer' } as const;
  const sent = jsonRows(dialectOf(queries), columns, json);
  const { rows } = await sql<LinkAddress & { id: number }>`
    insert into links (domain_id, suffix, organization_id, created_at, updated_at, destination_url,
      qr_foreground, qr_background, qr_png, bot_protection, captcha, search_text)
    select domain_id, suffix, organization_id, 0, 0, '', '', '', 0, 0, 0, ${noText} from ${sent} as sent where true
    on conflict (domain_id, suffix) do nothing returning id, domain_id, suffix`.execute(queries);
  if (rows.length > 0) await dropLinks(queries, idsOf(rows));
  return new Set(rows.map(addressKey));
}

/** The lines that the search indexes expect. */
const noText = '\n\n';

interface NewAlias extends RequestedAddress {
  readonly link_id: number;
  readonly forward_path: number;
}

export const insertAliases = (
  queries: Queries,
  aliases: readonly NewAlias[],
  created_at: number,
): Promise<void> => {
  const rows = aliases.map(({ domain_id, suffix, link_id, organization_id, forward_path }) => {
    return { domain_id, suffix, link_id, organization_id, forward_path, created_at };
  });
  return insertInParts(rows, (part) => queries.insertInto('link_aliases').values(part));
};

/** Whichever link they lead to. */
export async function deleteAliases(queries: Queries, addresses: readonly LinkAddress[]): Promise<void> {
  for (const [domainId, some] of Map.groupBy(addresses, (address) => address.domain_id)) {
    const suffixes = some.map(({ suffix }) => suffix);
    const onDomain = queries.deleteFrom('link_aliases').where('domain_id', '=', domainId);
    await onDomain.where('suffix', 'in', suffixes).execute();
  }
}

export async function setAliasForwarding(
  queries: Queries,
  linkId: number,
  forward_path: number,
): Promise<void> {
  await queries.updateTable('link_aliases').set({ forward_path }).where('link_id', '=', linkId).execute();
}

/** Those of these links whose own address is an alias of another existing link. An alias of a deleted link is removed. */
export async function withTakenAddress(queries: Queries, ids: readonly number[]): Promise<number[]> {
  const found = await queries
    .selectFrom('links')
    .innerJoin('link_aliases as alias', (join) =>
      join.onRef('alias.domain_id', '=', 'links.domain_id').onRef('alias.suffix', '=', 'links.suffix'),
    )
    .leftJoin('links as holder', 'holder.id', 'alias.link_id')
    .select(['links.id', 'links.domain_id', 'links.suffix', 'holder.id as holder'])
    .where('links.id', 'in', ids)
    .execute();
  await deleteAliases(
    queries,
    found.filter(({ holder }) => holder === null),
  );
  return found.flatMap(({ id, holder }) => (holder === null ? [] : id));
}

/**
 * Updates the copies in `links`, also in their search texts, from the table; returns the aliases of those of these links that have
 * any.
 */
export async function copyAliases(
  queries: Queries,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await aliasRows(queries).where('link_id', 'in', ids).orderBy('link_aliases.id').execute();
  const byLink = Map.groupBy(rows, ({ link_id }) => link_id);
  const before = await queries
    .selectFrom('links')
    .select(['id', 'aliases', 'name', 'suffix', 'destination_url', 'notes'])
    .where('id', 'in', ids)
    .execute();
  const copies = new Map<number, string>();
  for (const { id, ...link } of before) {
    const aliases = writeAliases(inOrderOf(readAliases(link.aliases), byLink.get(id) ?? []));
    if (aliases !== null) copies.set(id, aliases);
    if (aliases === link.aliases) continue;
    const search_text = searchText({ ...link, aliases });
    await queries.updateTable('links').set({ aliases, search_text }).where('id', '=', id).execute();
  }
  return copies;
}

/** These aliases in the order in which their link has had them. */
function inOrderOf(former: readonly Alias[], aliases: readonly Alias[]): Alias[] {
  const byKey = new Map(aliases.map((alias) => [addressKey(alias), alias]));
  const keys = new Set([...former.map(addressKey), ...byKey.keys()]);
  return [...keys].flatMap((key) => byKey.get(key) ?? []);
}

const aliasRows = (queries: Queries) =>
  queries
    .selectFrom('link_aliases')
    .leftJoin('domains', 'domains.id', 'link_aliases.domain_id')
    .select(['link_aliases.link_id', 'link_aliases.domain_id', 'domains.host', 'link_aliases.suffix']);

/** Some of the aliases on a domain. */
export const aliasesOn = (queries: Queries, domainId: number, limit: number) =>
  aliasRows(queries)
    .where('link_aliases.domain_id', '=', domainId)
    .orderBy('link_aliases.suffix')
    .limit(limit)
    .execute();

export const hasAliases = (queries: Queries, domainId: number): Promise<boolean> =>
  hasRow(queries.selectFrom('link_aliases').select('link_id').where('domain_id', '=', domainId).limit(1));

/** How many addresses on a domain are aliases of links that are not on it, and how many such links are in print. */
export const countForeignAliases = (queries: Queries, domainId: number) =>
  queries
    .selectFrom('link_aliases')
    .innerJoin('links', 'links.id', 'link_aliases.link_id')
    .select([
      sql<number>`count(*)`.as('all'),
      sql<number>`count(distinct case when links.on_paper = 1 then links.id end)`.as('linksOnPaper'),
    ])
    .where('link_aliases.domain_id', '=', domainId)
    .where('links.domain_id', '<>', domainId)
    .executeTakeFirstOrThrow();
