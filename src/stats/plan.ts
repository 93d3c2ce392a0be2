import type { Slice } from '../ledger/counts/counts.ts';
import {
  type ClickDimension,
  clickDimensions,
  columnOf,
  type Dimension,
  devices,
  dimensionCodes,
  reasons,
  rollupClassCodes,
  rollupClasses,
  sources,
  targets,
  wasAddedLater,
} from '../rules/click-fields.ts';

/** The groups and filters of statistics. `class` is a column of every roll-up, so it costs nothing. */
export const groupings = ['reason', ...clickDimensions, 'class'] as const;
export type Grouping = ClickDimension | 'reason' | 'class';

/** A value that no hit has: filtering by it matches nothing. */
export const noValue = -1;
const { click, page } = rollupClassCodes;
const nonClickClasses = rollupClasses.map((_, code) => code).filter((code) => code !== click);

/** All filters except that by class, with the stored numbers of their values. */
export type Filters = ReadonlyMap<Exclude<Grouping, 'class'>, number>;

/**
 * Decides what an answer is counted from. Each roll-up has one dimension. Most of them count only clicks, and that of reasons only
 * other hits: queries that combine two dimensions, or hits and a dimension that isn't counted for their class, are counted from the
 * hits themselves; so are queries by a dimension whose roll-ups begin later than their range.
 */
export function planFor(
  filters: Filters,
  requestedClasses: readonly number[] | undefined,
  groupBy: Grouping | undefined,
  beginsBeforeRollups = false,
): Slice {
  const axes = new Set(filters.keys());
  if (groupBy !== undefined && groupBy !== 'class') axes.add(groupBy);
  const [axis, second] = axes;
  if (axis === undefined) return rollups('total', undefined, requestedClasses);
  if (axis === 'reason' && second === undefined && !requestedClasses?.includes(click))
    return rollups('reason', filters.get(axis), requestedClasses);
  const counted = requestedClasses ?? (axes.has('reason') ? nonClickClasses : [click]);
  const isClicksOnly = counted.every((code) => code === click);
  if (
    second === undefined &&
    axis !== 'reason' &&
    isClicksOnly &&
    !(beginsBeforeRollups && wasAddedLater(axis))
  )
    return rollups(axis, filters.get(axis), counted);
  const values = [...filters].map(([grouping, value]) => [columnOf(grouping), value] as const);
  return { kind: 'hits', values, classes: counted };
}

const rollups = (
  dimension: Dimension,
  value: number | undefined,
  counted: readonly number[] | undefined,
): Slice => ({ kind: 'rollups', dimension: dimensionCodes[dimension], value, classes: counted });

/** Whether a slice contains only clicks. */
export const hasOnlyClicks = (slice: Slice): boolean =>
  slice.classes?.every((code) => code === click) ?? false;

/** `human` is a person, redirected or not; every other name is one class of the roll-ups. */
export function classesNamed(name: string): readonly number[] {
  if (name === 'human') return [click, page];
  const names: readonly string[] = rollupClasses;
  const code = names.indexOf(name);
  return [code < 0 ? noValue : code];
}

/** The closed list of a grouping's codes; undefined if values are ids of `words`. */
export const closedLists: Readonly<Partial<Record<Grouping, readonly string[]>>> = {
  reason: reasons,
  device: devices,
  destination: targets,
  source: sources,
  class: rollupClasses,
};
