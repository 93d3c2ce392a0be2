import { dimensionCodes, rollupClassCodes, rollupClasses } from '../../rules/click-fields.ts';
import type { JobStore } from '../../storage/database.ts';
import type { Schema } from '../../storage/schema.ts';
import { type GroupCount, Groups } from '../groups.ts';
import { bucketIndex } from './bucket-index.ts';
import type { BucketCount, RollupSlice } from './counts.ts';
import { classOf, eachCount, reasonOf } from './hour-counts.ts';

const { reason, variant_visitors: variantVisitors } = dimensionCodes;

/** What to count in a link's hours: a dimension that is stored in `counts`, all of it or one value, in all classes or some. */
interface HourQuery extends Omit<RollupSlice, 'kind'> {
  readonly linkIds: readonly number[];
  /** The first hours of the buckets, then the end of the last one. */
  readonly starts: readonly number[];
}

interface HourGroups {
  /** Otherwise by the value. */
  readonly byClass: boolean;
  /** Only the largest are returned. */
  readonly limit: number;
}

type CountedHour = Readonly<Pick<Schema['link_hours'], 'link_id' | 'hour' | 'click' | 'counts'>>;

/** Texts of this many hours are read at once, so that parsing them doesn't block other work for long. */
const hoursAtOnce = 1_000;
/** Links whose hours are read with one statement. */
const linksAtOnce = 200;

type Take = (bucket: number, ofClass: number, value: number, hits: number) => void;

/** Calls `take` for each number of a link's hour that is requested. */
function readHour(query: HourQuery, { hour, click, counts }: CountedHour, take: Take): void {
  const { dimension, starts, value: requestedValue, classes } = query;
  const bucket = bucketIndex(starts, hour);
  const takeRequested = (ofClass: number, value: number, hits: number) => {
    if (hits <= 0 || (requestedValue !== undefined && requestedValue !== value)) return;
    if (classes === undefined || classes.includes(ofClass)) take(bucket, ofClass, value, hits);
  };
  let unwritten = click;
  const takeEntry = (_dimension: number, value: number, hits: number) => {
    unwritten -= hits;
    if (dimension === reason) takeRequested(classOf(value), reasonOf(value), hits);
    else takeRequested(rollupClassCodes.click, value, hits);
  };
  eachCount(counts, takeEntry, dimension);
  if (dimension !== reason && dimension !== variantVisitors)
    takeRequested(rollupClassCodes.click, 0, unwritten);
}

/**
 * Run by `Database.compute`: the texts are larger than their sums, and parsing them would block the main thread. Links may have a
 * million values, so their groups are sorted here too.
 */
export default function answer(
  store: JobStore,
  query: HourQuery & {
    /** Null: sums by bucket and class. */
    readonly grouped: HourGroups | null;
  },
): Promise<readonly BucketCount[] | readonly GroupCount[]> {
  return query.grouped === null ? byBucket(store, query) : groups(store, query, query.grouped);
}

async function byBucket(store: JobStore, query: HourQuery): Promise<readonly BucketCount[]> {
  const sums = new Map<number, number>();
  await readHours(store, query, (bucket, ofClass, _value, hits) => {
    const key = bucket * rollupClasses.length + ofClass;
    sums.set(key, (sums.get(key) ?? 0) + hits);
  });
  return Array.from(sums, ([key, hits]) => ({
    bucket: Math.floor(key / rollupClasses.length),
    class: key % rollupClasses.length,
    hits,
  }));
}

async function groups(
  store: JobStore,
  query: HourQuery,
  { byClass, limit }: HourGroups,
): Promise<readonly GroupCount[]> {
  const found = new Groups(limit);
  await readHours(store, query, (_bucket, ofClass, value, hits) =>
    found.add(byClass ? ofClass : value, ofClass, hits),
  );
  found.finish();
  return found.largest;
}

/** Reads in the order of the table's key, link by link. */
async function readHours(store: JobStore, query: HourQuery, take: Take): Promise<void> {
  const [begin, end] = [query.starts[0] ?? 0, query.starts.at(-1) ?? 0];
  let [left, from] = [query.linkIds, begin];
  while (left.length > 0) {
    store.keepGoing();
    const some = left.slice(0, linksAtOnce);
    const hours = await store.rows<CountedHour>(
      `select link_id, hour, click, counts from link_hours where link_id in (${some.join(', ')})
       and hour >= $1 and hour < $2 and (link_id, hour) >= ($3, $4)
       order by link_id, hour limit ${hoursAtOnce}`,
      [begin, end, some[0] ?? 0, from],
    );
    for (const hour of hours) readHour(query, hour, take);
    const last = hours[hoursAtOnce - 1];
    left = left.slice(last === undefined ? linksAtOnce : left.indexOf(last.link_id));
    from = last === undefined ? begin : last.hour + 1;
  }
}
