import { type Selectable, sql } from 'kysely';
import type { Dialect } from './dialect.ts';
import { type ColumnKind, jsonRows } from './json-rows.ts';
import type { Queries, Schema } from './schema.ts';

type Stored = Selectable<Schema['links']>;

/** A row of which nothing is left to defaults but its id, where it has none, and to its organization the marker. */
export interface CompleteLink extends Omit<Stored, 'id' | 'qr_marker'> {
  readonly id: number | null;
  readonly qr_marker: number | null;
}

const columns = {
  id: 'integer',
  created_at: 'integer',
  updated_at: 'integer',
  organization_id: 'integer',
  domain_id: 'integer',
  suffix: 'text',
  destination_url: 'text',
  android_url: 'text',
  ios_url: 'text',
  og_title: 'text',
  og_description: 'text',
  og_image: 'text',
  expires_at: 'integer',
  qr_foreground: 'text',
  qr_background: 'text',
  qr_png: 'integer',
  password_hash: 'text',
  bot_protection: 'integer',
  captcha: 'integer',
  name: 'text',
  webhook_url: 'text',
  webhook_auth_key: 'text',
  zapier_hook_url: 'text',
  webhook_events: 'text',
  expiry_event_at: 'integer',
  zapier_hook_id: 'integer',
  qr_marker: 'integer',
  search_text: 'text',
} as const satisfies Record<keyof CompleteLink, ColumnKind>;
const names = Object.keys(columns) as (keyof CompleteLink)[];

const valueFor = (name: keyof CompleteLink): string =>
  name === 'qr_marker'
    ? 'coalesce(sent.qr_marker, (select qr_marker from organizations where organizations.id = sent.organization_id))'
    : `sent.${name}`;

type Inserted = Pick<Stored, 'id' | 'domain_id' | 'suffix' | 'qr_marker'>;

/** What was inserted, in the order of the rows; null where the suffix is taken on its domain. */
export async function insertLinks(
  queries: Queries,
  dialect: Dialect,
  rows: readonly CompleteLink[],
): Promise<(Inserted | null)[]> {
  // Of two rows that want the same place, the first has it: which one a database takes first is its own affair.
  const first = new Map(rows.toReversed().map((row) => [placeKey(row), row]));
  const placed = rows.filter((row) => first.get(placeKey(row)) === row);
  // Most links have little more than an address: what none of them has is not sent, and stays null.
  const sent = names.filter((name) => name === 'qr_marker' || placed.some((row) => row[name] !== null));
  const table = jsonRows(
    dialect,
    Object.fromEntries(sent.map((name) => [name, columns[name]])),
    placed.map((row) => sent.map((name) => row[name])),
  );
  const { rows: inserted } = await sql<Inserted>`
    insert into links (${sql.raw(sent.join(', '))})
    select ${sql.raw(sent.map(valueFor).join(', '))} from ${table} as sent where true
    on conflict (domain_id, suffix) do nothing
    returning id, domain_id, suffix, qr_marker`.execute(queries);
  const byPlace = new Map(inserted.map((row) => [placeKey(row), row]));
  return rows.map((row) => {
    const key = placeKey(row);
    return first.get(key) === row ? (byPlace.get(key) ?? null) : null;
  });
}

const placeKey = ({ domain_id, suffix }: Pick<Stored, 'domain_id' | 'suffix'>): string =>
  `${domain_id}\n${suffix}`;

/** Ids for rows that are not inserted in the order in which they count. PostgreSQL alone needs that. */
export async function takeIds(queries: Queries, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('links', 'id')) as id from generate_series(1, ${count})`.execute(
    queries,
  );
  return rows.map(({ id }) => id).sort((one, other) => one - other);
}

/** Takes back what this transaction inserted. */
export async function dropLinks(queries: Queries, ids: readonly number[]): Promise<void> {
  await queries.deleteFrom('links').where('id', 'in', ids).execute();
}
