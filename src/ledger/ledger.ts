import type { Selectable } from 'kysely';
import type { HitColumn } from '../rules/click-fields.ts';
import type { Schema } from '../storage/schema.ts';
import type { GroupCount } from './groups.ts';

interface LinkOwner {
  readonly kind: 'link';
  readonly id: number;
  readonly organizationId: number;
  readonly links?: undefined;
}

interface OrganizationOwner {
  readonly kind: 'organization';
  readonly id: number;
  /** Counts only these of its links: ids in ascending order. */
  readonly links?: readonly number[] | undefined;
}

/** The owner of counts: a link, or an organization with all its links or some of them. */
export type Owner = LinkOwner | OrganizationOwner;

export const organizationOf = (owner: Owner): number =>
  owner.kind === 'link' ? owner.organizationId : owner.id;

export type StoredHit = Selectable<Schema['hits']>;

/** Instants; `to` is exclusive. */
export interface Times {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface HitFilter extends Times {
  readonly owner: Owner;
  /** Classes of the roll-ups; undefined: all of them. */
  readonly classes?: readonly number[] | undefined;
  /** Columns that must have a value. */
  readonly values?: readonly (readonly [HitColumn, number])[] | undefined;
  /** Only hits with a greater id. */
  readonly above?: number | undefined;
}

export interface HitCount {
  /** An hour since the epoch, or a class of the roll-ups. */
  readonly value: number;
  /** A class of the roll-ups. */
  readonly class: number;
  readonly hits: number;
}

export interface CountAndGroups {
  readonly counts: readonly HitCount[];
  readonly groups: readonly GroupCount[];
}

export interface HitOwner {
  readonly id: number;
  readonly organization_id: number;
}

/** A page of descending ids. */
export interface PageBefore {
  /** Exclusive; undefined: begins with the newest. */
  readonly before: number | undefined;
  readonly limit: number;
  readonly offset: number;
  /** When to stop and return what was found, by `performance.now()`. */
  readonly until?: number | undefined;
}

export interface HitPage {
  /** Newest first. */
  readonly hits: readonly StoredHit[];
  /** How many hits were skipped; less than the offset if there are fewer. */
  readonly passed: number;
  /** The id at which the time ran out: hits with lower ids were not searched. Null if the page is full, or nothing is left. */
  readonly stoppedAt: number | null;
}

/** A page of ascending ids; `after` is exclusive. */
export interface PageAfter {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}

/**
 * Reads the hits that a `FoldStore` has appended. Ids rise in the order of appending, whether a hit is stored as a row or in a
 * pack.
 */
export interface Ledger {
  /** Newest first, by key: earlier pages are never read again. */
  before(filter: HitFilter, page: PageBefore): Promise<HitPage>;
  /** Oldest first. */
  after(filter: HitFilter, page: PageAfter): Promise<readonly StoredHit[]>;
  /**
   * A value may appear more than once. With `starts`, the first hours of buckets, hits may be counted under any hour of their
   * bucket.
   */
  count(filter: HitFilter, by: 'hour' | 'class', starts?: readonly number[]): Promise<readonly HitCount[]>;
  /** The largest groups by a column, or by the roll-ups' class: most hits first, then the lowest value. */
  groups(filter: HitFilter, by: HitColumn, limit: number): Promise<readonly GroupCount[]>;
  /** `count` by the hour and `groups` of the same hits. The filter must have `values`. */
  countAndGroups(
    filter: HitFilter,
    starts: readonly number[],
    by: HitColumn,
    limit: number,
  ): Promise<CountAndGroups>;
  /** The newest visible id; 0 in an empty ledger. */
  newestId(): Promise<number>;
  /** Oldest first. */
  ownersAfter(id: number, limit: number): Promise<readonly HitOwner[]>;
}
