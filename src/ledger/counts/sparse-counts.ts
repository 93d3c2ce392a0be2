import { dimensionCodes, type HitColumn, rollupClassCodes } from '../../rules/click-fields.ts';
import type { Queries } from '../../storage/schema.ts';
import type { GroupCount } from '../groups.ts';
import { type BucketCount, type Counts, type Hours, type RollupSlice, totalOf } from './counts.ts';
import { OrganizationCounts } from './organization-counts.ts';

const { click } = rollupClassCodes;

/**
 * Counts of an organization's sparse dimension: its value 0 has no rows, and its count is the organization's clicks minus those
 * of all other values.
 */
export class SparseCounts implements Counts {
  readonly #written: OrganizationCounts;
  readonly #clicks: OrganizationCounts;
  readonly #value: number | undefined;

  constructor(queries: Queries, organizationId: number, slice: RollupSlice) {
    const { value } = slice;
    const total = { ...slice, dimension: dimensionCodes.total, value: undefined, classes: [click] };
    this.#value = value;
    this.#written = new OrganizationCounts(queries, organizationId, {
      ...slice,
      value: value === 0 ? undefined : value,
    });
    this.#clicks = new OrganizationCounts(queries, organizationId, total);
  }

  async byBucket(buckets: readonly Hours[]): Promise<readonly BucketCount[]> {
    if (this.#value === undefined) return this.#clicks.byBucket(buckets);
    const written = await this.#written.byBucket(buckets);
    if (this.#value !== 0) return written;
    return [
      ...(await this.#clicks.byBucket(buckets)),
      ...written.map((count) => ({ ...count, hits: -count.hits })),
    ];
  }

  async groups(by: HitColumn, hours: Hours, limit: number): Promise<readonly GroupCount[]> {
    if (this.#value !== undefined && this.#value !== 0) return this.#written.groups(by, hours, limit);
    const [written, clicks] = await Promise.all([
      this.#written.groups(by, hours, limit),
      totalOf(this.#clicks, hours),
    ]);
    const whole = { all_clicks: clicks, all_hits: clicks };
    const rest = clicks - (written[0]?.all_clicks ?? 0);
    if (this.#value === 0) return onlyGroup(rest);
    const zeroGroup = { value: 0, clicks: rest, hits: rest, ...whole };
    return [...(rest > 0 ? [zeroGroup] : []), ...written.map((group) => ({ ...group, ...whole }))]
      .sort((one, other) => other.hits - one.hits || one.value - other.value)
      .slice(0, limit);
  }
}

/** All hits have the value 0, and are clicks, whose class is 0 too. */
const onlyGroup = (clicks: number): readonly GroupCount[] =>
  clicks === 0 ? [] : [{ value: 0, clicks, hits: clicks, all_clicks: clicks, all_hits: clicks }];
