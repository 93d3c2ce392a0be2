import { sql } from 'kysely';
import { destinationKey } from '../../rules/destinations/destination-key.ts';
import { dialectOf } from '../dialect.ts';
import { jsonRows } from '../json-rows.ts';
import type { Queries } from '../schema.ts';
import type { CompleteLink } from './insert-links.ts';
import { type StoredLink, withHost } from './links.ts';

/** The destination of a requested link, and its address: any suffix on its domain, if none is given. */
export interface RequestedLink {
  readonly domain_id: number;
  readonly destination_url: string;
  readonly suffix: string | null;
}

/** Whether a new link leads every visitor to its destination now. */
export const leadsEveryone = (
  link: Omit<CompleteLink, 'id' | 'suffix' | 'search_text'>,
  now: number,
): boolean =>
  link.disabled === 0 &&
  [link.rules, link.android_url, link.ios_url, link.password_hash].every((field) => field === null) &&
  link.captcha === 0 &&
  (link.start_at ?? 0) <= now &&
  (link.expires_at ?? Number.POSITIVE_INFINITY) > now;

/**
 * For each of these, the organization's oldest link that currently leads everyone there, which is `leadsEveryone` with clicks
 * left. Null if there is none.
 */
export async function linksByDestination(
  queries: Queries,
  organizationId: number,
  requested: readonly RequestedLink[],
  now: number,
): Promise<(StoredLink | null)[]> {
  // Each only once: a bulk call may ask a thousand times for one destination, and many links may lead there.
  const placeOf = ({ domain_id, destination_url, suffix }: RequestedLink) =>
    JSON.stringify([domain_id, destination_url, suffix]);
  const different = [...new Map(requested.map((one) => [placeOf(one), one])).entries()];
  const rows = different.map(([, one], index) => [
    ...[index, destinationKey(one.destination_url)],
    ...[one.domain_id, one.destination_url, one.suffix],
  ]);
  const sent = jsonRows(
    dialectOf(queries),
    { place: 'integer', key: 'integer', domain: 'integer', destination: 'text', chosen: 'text' },
    JSON.stringify(rows),
  );
  const leadsThere = sql`organization_id = ${organizationId}
        and domain_id = sent.domain and destination_url = sent.destination
        and disabled = 0 and rules is null and android_url is null and ios_url is null
        and password_hash is null and captcha = 0
        and (start_at is null or start_at <= ${now})
        and (expires_at is null or expires_at > ${now})
        and (click_limit is null or clicks_spent < click_limit)`;
  // By its suffix a link is found without looking at all others with the destination.
  const found = await sql<{
    place: number;
    id: number | null;
  }>`select sent.place, case when sent.chosen is null then (
      select links.id from links where destination_key = sent.key and ${leadsThere} order by links.id limit 1
    ) else (
      select links.id from (
        select * from links where domain_id = sent.domain and suffix = sent.chosen limit 1
      ) as links where ${leadsThere}
    ) end as id from ${sent} as sent`.execute(queries);
  const ids = new Map(found.rows.map(({ place, id }) => [different[place]?.[0], id]));
  const foundIds = [...new Set(ids.values())].filter((id) => id !== null);
  const links =
    foundIds.length > 0 ? await withHost(queries).where('links.id', 'in', foundIds).execute() : [];
  const byId = new Map(links.map((link) => [link.id, link]));
  return requested.map((one) => byId.get(ids.get(placeOf(one)) ?? 0) ?? null);
}

/**
 * Until this transaction ends, no other one searches for the same destination to create a link, or for any if several are searched.
 * SQLite has one writer.
 */
export async function lockDestinations(
  queries: Queries,
  organizationId: number,
  requested: readonly RequestedLink[],
): Promise<void> {
  if (!dialectOf(queries).locksRows) return;
  const all = `destinations ${organizationId}`;
  const [one] = requested;
  if (requested.length > 1 || !one) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${all}, 0))`.execute(queries);
    return;
  }
  const own = `destination ${organizationId} ${destinationKey(one.destination_url)}`;
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${all}, 0))`.execute(queries);
  await sql`select pg_advisory_xact_lock(hashtextextended(${own}, 0))`.execute(queries);
}
