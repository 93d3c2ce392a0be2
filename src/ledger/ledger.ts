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
  /** The only ones of its links that count: their ids in order. */
  readonly links?: readonly number[] | undefined;
}

/** The owner of counts: a link, or an organization with all its links or some of them. */
export type Owner = LinkOwner | OrganizationOwner;

export const organizationOf = (owner: Owner): number =>
  owner.kind === 'link' ? owner.organizationId : owner.id;

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
  /** Only hits with a greater id. */
  readonly above?: number | undefined;
}

export interface HitCount {
  /** What was counted by: an hour since the epoch, or a class of the roll-ups. */
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

/** From a greatest id downwards. */
export interface PageBefore {
  /** The ids are lower than this one. */
  readonly before: number | undefined;
  readonly limit: number;
  readonly offset: number;
  /** When to end with what was found, as `performance.now()` has it. */
  readonly until?: number | undefined;
}

export interface HitPage {
  /** Newest first. */
  readonly hits: readonly StoredHit[];
  /** How many hits were passed over; less than the offset where there are fewer. */
  readonly passed: number;
  /** Where the time was over: hits with lower ids were not looked at. Null when the page is full, or nothing is left. */
  readonly stoppedAt: number | null;
}

/** From a lowest id upwards, which is not included itself. */
export interface PageAfter {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}

/**
 * Reads the hits that a `FoldStore` has appended. Ids rise in the order in which hits were appended, whether a hit is a
 * row or part of a pack.
 */
export interface Ledger {
  /** Newest first, by key: what has been read already is never looked at again. */
  before(filter: HitFilter, page: PageBefore): Promise<HitPage>;
  /** Oldest first. */
  after(filter: HitFilter, page: PageAfter): Promise<readonly StoredHit[]>;
  /**
   * A value may come more than once. With `starts`, the first hours of buckets, hits may be counted under any hour of their
   * bucket.
   */
  count(filter: HitFilter, by: 'hour' | 'class', starts?: readonly number[]): Promise<readonly HitCount[]>;
  /** The largest groups by a column, or by the roll-ups' class: more hits first, then the lower value. */
  groups(filter: HitFilter, by: HitColumn, limit: number): Promise<readonly GroupCount[]>;
  /** `count` by the hour and `groups` of the same hits, which must be asked for by values. */
  countAndGroups(
    filter: HitFilter,
    starts: readonly number[],
    by: HitColumn,
    limit: number,
  ): Promise<CountAndGroups>;
  /** The newest id that can be seen; 0 in an empty ledger. */
  newestId(): Promise<number>;
  /** Oldest first. */
  ownersAfter(id: number, limit: number): Promise<readonly HitOwner[]>;
}

/** `countAndGroups` as two questions, where one pass over the hits can't answer both. */
export async function askBoth(
  ledger: Pick<Ledger, 'count' | 'groups'>,
  filter: HitFilter,
  by: HitColumn,
  limit: number,
): Promise<CountAndGroups> {
  const [counts, groups] = await Promise.all([
    ledger.count(filter, 'hour'),
    ledger.groups(filter, by, limit),
  ]);
  return { counts, groups };
}
