import { type Selectable, sql } from 'kysely';
import { hasAliases } from './links/link-aliases.ts';
import { deleteNotFoundOf } from './not-found-visits.ts';
import { preparedHasRow, preparedRow } from './prepared.ts';
import { idsOf } from './rows.ts';
import type { Queries, Schema } from './schema.ts';

export const findVerifiedDomain = preparedRow((queries, host: string) =>
  queries
    .selectFrom('domains')
    .select(['id', 'organization_id', 'host'])
    .where('host', '=', host)
    .where('verified_at', 'is not', null)
    .compile(),
);

/** For the redirect: a host's domain, and where it sends visitors of its root and of unknown suffixes. */
export const findDomainForVisitor = preparedRow((lookup, host: string) =>
  lookup
    .selectFrom('domains')
    .select(['id', 'root_url', 'not_found_url'])
    .where('host', '=', host)
    .where('verified_at', 'is not', null)
    .compile(),
);

export type DomainRow = Selectable<Schema['domains']>;

export interface StoredDomain extends DomainRow {
  readonly links: number;
  /** 1: another organization has verified this name. */
  readonly is_taken: number;
}

/** An organization's domains, except those being deleted. */
const own = (queries: Queries, organizationId: number) =>
  queries
    .selectFrom('domains')
    .selectAll('domains')
    .select((of) => [
      of
        .selectFrom('link_counts')
        .select(sql<number>`coalesce(sum(links), 0)`.as('links'))
        .whereRef('link_counts.organization_id', '=', 'domains.organization_id')
        .whereRef('link_counts.domain_id', '=', 'domains.id')
        .$asScalar()
        .$notNull()
        .as('links'),
      sql<number>`case when domains.verified_at is null and exists (
        select 1 from domains as other
        where other.host = domains.host and other.verified_at is not null
      ) then 1 else 0 end`.as('is_taken'),
    ])
    .where('domains.organization_id', '=', organizationId)
    .where('domains.deleted_at', 'is', null);

export const findDomain = (queries: Queries, organizationId: number, id: number) =>
  own(queries, organizationId).where('domains.id', '=', id).executeTakeFirst();

export async function hostsOfDomains(
  queries: Queries,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await queries.selectFrom('domains').select(['id', 'host']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, host }) => [id, host]));
}

export const listDomains = (queries: Queries, organizationId: number): Promise<StoredDomain[]> =>
  own(queries, organizationId).orderBy('domains.id').execute();

/** How many domains an organization has, and how many of them are not yet verified. */
export const countDomains = (queries: Queries, organizationId: number) =>
  queries
    .selectFrom('domains')
    .select([
      sql<number>`count(*)`.as('all'),
      sql<number>`count(case when verified_at is null then 1 end)`.as('pending'),
    ])
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();

/** Null if the organization has it already. */
export async function insertDomain(
  queries: Queries,
  domain: Pick<DomainRow, 'organization_id' | 'host' | 'proof' | 'created_at' | 'next_check_at'>,
): Promise<number | null> {
  const row = await queries
    .insertInto('domains')
    .values(domain)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'host']).where('deleted_at', 'is', null).doNothing(),
    )
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Reads a domain and locks it until this transaction ends. */
export const lockDomain = (queries: Queries, organizationId: number, id: number) =>
  queries
    .selectFrom('domains')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Throws NotUnique if it would be verified for two organizations. */
export async function updateDomain(
  queries: Queries,
  organizationId: number,
  id: number,
  changes: Partial<Omit<DomainRow, 'id' | 'organization_id' | 'host' | 'proof' | 'created_at'>>,
): Promise<void> {
  await queries
    .updateTable('domains')
    .set(changes)
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
}

/** False if there are links or aliases on it: then it stays. */
export async function deleteEmptyDomain(
  queries: Queries,
  organizationId: number,
  id: number,
): Promise<boolean> {
  if ((await linkIdsOn(queries, id, 1)).length > 0 || (await hasAliases(queries, id))) return false;
  await deleteNotFoundOf(queries, id);
  await queries
    .deleteFrom('domains')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .execute();
  return true;
}

/** Claims the domains whose check is due, longest due first. No other node gets them before `until`. */
export async function claimDueDomains(
  queries: Queries,
  claim: { readonly now: number; readonly until: number; readonly max: number },
): Promise<DomainRow[]> {
  const found = await queries
    .selectFrom('domains')
    .select('id')
    .where('next_check_at', '<=', claim.now)
    .orderBy('next_check_at')
    .limit(claim.max)
    .forUpdate()
    .skipLocked()
    .execute();
  if (found.length === 0) return [];
  return queries
    .updateTable('domains')
    .set({ next_check_at: claim.until })
    .where('id', 'in', idsOf(found))
    .returningAll()
    .execute();
}

export const hasDueDomains = preparedHasRow((queries, now: number) =>
  queries.selectFrom('domains').select('id').where('next_check_at', '<=', now).limit(1).compile(),
);

/** Some of the links on a domain, by the index of suffixes. */
export async function linkIdsOn(queries: Queries, domainId: number, limit: number): Promise<number[]> {
  const links = queries.selectFrom('links').select('id').where('domain_id', '=', domainId);
  return idsOf(await links.orderBy('suffix').limit(limit).execute());
}

/** By its name, verified or not. */
export async function findOwnDomainId(
  queries: Queries,
  organizationId: number,
  host: string,
): Promise<number | null> {
  const row = await queries
    .selectFrom('domains')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('host', '=', host)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Those of these domains that exist, locked until this transaction ends. */
export async function lockDomains(queries: Queries, ids: readonly number[]) {
  if (ids.length === 0) return [];
  return queries
    .selectFrom('domains')
    .select(['id', 'verified_at'])
    .where('id', 'in', ids)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forShare()
    .execute();
}
