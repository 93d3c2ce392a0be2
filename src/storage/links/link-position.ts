import { type RawBuilder, sql } from 'kysely';
import type { LinkOrder } from '../../rules/link-order.ts';
import type { Dialect } from '../dialect.ts';

/** A position in an ordered list: that of one of its links, even if it no longer exists. */
export interface LinkPosition {
  /** The sort key as the database compares it; null for a link without a name in the order of names. */
  readonly key: string | number | null;
  readonly id: number;
}

type OrderKey = 'created_at' | 'updated_at' | 'name' | 'suffix' | 'clicks';

export const orderOf = (order: LinkOrder) => ({
  direction: order.startsWith('-') ? ('desc' as const) : ('asc' as const),
  key: order.replace('-', '') as OrderKey,
});

const searchKey = ({ searchKeys, textOrder }: Dialect, key: 'name' | 'suffix'): RawBuilder<string> =>
  sql.raw(`(${searchKeys[key]}) ${textOrder}`);

/** What links are sorted by; those with the same key by their ids. By clicks, the query must have joined `link_clicks`. */
export function keyColumn(dialect: Dialect, key: OrderKey): RawBuilder<string | number> {
  if (key === 'created_at') return sql<number>`links.id`;
  if (key === 'clicks') return sql<number>`coalesce(link_clicks.clicks, 0)`;
  return key === 'updated_at' ? sql<number>`links.updated_at` : searchKey(dialect, key);
}

/** The condition that a link comes after a position. For links without a name, in the order of names, see `isUnnamedAfter`. */
export function isAfter(dialect: Dialect, order: LinkOrder, { key, id }: LinkPosition): RawBuilder<boolean> {
  const by = orderOf(order);
  const beyond = sql.raw(by.direction === 'asc' ? '>' : '<');
  if (by.key === 'created_at') return sql<boolean>`links.id ${beyond} ${id}`;
  if (key === null) return sql<boolean>`1 = 0`;
  const column = keyColumn(dialect, by.key);
  // SQLite uses an index on an expression for a plain comparison, but not for a row comparison.
  const reached = sql`${column} ${sql.raw(by.direction === 'asc' ? '>=' : '<=')} ${key}`;
  return sql<boolean>`(${reached} and (${column}, links.id) ${beyond} (${key}, ${id}))`;
}

/** Links without a name come last in either direction, newest first. */
export const isUnnamedAfter = ({ key, id }: LinkPosition): RawBuilder<boolean> =>
  key === null ? sql<boolean>`links.id < ${id}` : sql<boolean>`1 = 1`;
