import type { Selectable } from 'kysely';
import type { HitColumn } from '../rules/click-fields.ts';
import type { Schema } from '../storage/schema.ts';
import type { Owner } from './owner.ts';

export type StoredHit = Selectable<Schema['hits']>;

/** Instants; `to` is the first that is not included. */
export interface Times {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface HitFilter extends Times {
  readonly owner: Owner;
  /** Classes of the roll-ups; all of them when not given. */
  readonly classes?: readonly number[] | undefined;
  /** Columns that must have a value. */
  readonly values?: readonly (readonly [HitColumn, number])[] | undefined;
}

export interface HitCount {
  /** Of what was counted by: an hour since the epoch, a column's value, or a class of the roll-ups. */
  readonly value: number;
  /** A class of the roll-ups. */
  readonly class: number;
  readonly hits: number;
}

export interface HitOwner {
  readonly id: number;
  readonly organization_id: number;
}

/**
 * Reads the hits that a `FoldStore` has appended. Ids rise in the order in which hits were appended, whether a hit is a
 * row or part of a pack.
 */
export interface Ledger {
  /** Newest first, by key: what has been read already is never looked at again. */
  before(
    filter: HitFilter,
    page: { readonly before: number | undefined; readonly limit: number; readonly offset: number },
  ): Promise<readonly StoredHit[]>;
  /** Oldest first. */
  after(
    filter: HitFilter,
    page: { readonly after: number; readonly upTo: number; readonly limit: number },
  ): Promise<readonly StoredHit[]>;
  /** A value may come more than once. */
  count(filter: HitFilter, by: 'hour' | HitColumn): Promise<readonly HitCount[]>;
  /** The newest id that can be seen; 0 in an empty ledger. */
  newestId(): Promise<number>;
  /** Oldest first. */
  ownersAfter(id: number, limit: number): Promise<readonly HitOwner[]>;
}
