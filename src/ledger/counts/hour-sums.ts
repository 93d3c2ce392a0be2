import { dimensionCodes, rollupClassCodes, rollupClasses } from '../../rules/click-fields.ts';
import type { JobStore } from '../../storage/database.ts';
import { type GroupCount, Groups } from '../groups.ts';
import { bucketIndex } from './bucket-index.ts';
import type { BucketCount } from './counts.ts';
import { classOf, eachCountOf, reasonOf } from './hour-counts.ts';

/** What to count in a link's hours: a dimension that is stored in `counts`, all of it or one value, in all classes or some. */
interface HourQuery {
  readonly dimension: number;
  readonly value: number | undefined;
  readonly classes: readonly number[] | undefined;
  /** The first hours of the buckets, then the end of the last one. */
  readonly starts: readonly number[];
}

interface HourGroups {
  /** Otherwise by the value. */
  readonly byClass: boolean;
  /** Only the largest are returned. */
  readonly limit: number;
}

interface LinksQuery extends HourQuery {
  readonly linkIds: readonly number[];
  /** Null: sums by bucket and class. */
  readonly grouped: HourGroups | null;
}

/** An hour of `link_hours`. */
interface CountedHour {
  readonly link_id: number;
  readonly hour: number;
  readonly click: number;
  readonly counts: string;
}

/** Texts of this many hours are read at once, so that parsing them doesn't block other work for long. */
const hoursAtOnce = 1_000;
/** Links whose hours are read with one statement. */
const linksAtOnce = 200;

type Take = (bucket: number, ofClass: number, value: number, hits: number) => void;

/** Calls back for each number of a link's hour that is requested. */
class HourReader {
  readonly #query: HourQuery;
  readonly #take: Take;

  constructor(query: HourQuery, take: Take) {
    this.#query = query;
    this.#take = take;
  }

  read({ hour, click, counts }: CountedHour): void {
    const { dimension, starts } = this.#query;
    const bucket = bucketIndex(starts, hour);
    if (dimension === dimensionCodes.reason) {
      eachCountOf(dimension, counts, (value, hits) =>
        this.#takeRequested(bucket, classOf(value), reasonOf(value), hits),
      );
      return;
    }
    let unwritten = click;
    eachCountOf(dimension, counts, (value, hits) => {
      unwritten -= hits;
      this.#takeRequested(bucket, rollupClassCodes.click, value, hits);
    });
    if (dimension !== dimensionCodes.variant_visitors)
      this.#takeRequested(bucket, rollupClassCodes.click, 0, unwritten);
  }

  #takeRequested(bucket: number, ofClass: number, value: number, hits: number): void {
    const { value: requestedValue, classes } = this.#query;
    if (hits <= 0 || (requestedValue !== undefined && requestedValue !== value)) return;
    if (classes === undefined || classes.includes(ofClass)) this.#take(bucket, ofClass, value, hits);
  }
}

/**
 * Run by `Database.compute`: the texts are larger than their sums, and parsing them would block the main thread. Links may have a
 * million values, so their groups are sorted here too.
 */
export default function answer(
  store: JobStore,
  { linkIds, grouped, ...query }: LinksQuery,
): Promise<readonly BucketCount[] | readonly GroupCount[]> {
  return grouped === null ? byBucket(store, linkIds, query) : groups(store, linkIds, query, grouped);
}

async function byBucket(
  store: JobStore,
  linkIds: readonly number[],
  query: HourQuery,
): Promise<readonly BucketCount[]> {
  const sums = new Map<number, number>();
  const reader = new HourReader(query, (bucket, ofClass, _value, hits) => {
    const key = bucket * rollupClasses.length + ofClass;
    sums.set(key, (sums.get(key) ?? 0) + hits);
  });
  await readHours(store, linkIds, query, reader);
  return Array.from(sums, ([key, hits]) => ({
    bucket: Math.floor(key / rollupClasses.length),
    class: key % rollupClasses.length,
    hits,
  }));
}

async function groups(
  store: JobStore,
  linkIds: readonly number[],
  query: HourQuery,
  { byClass, limit }: HourGroups,
): Promise<readonly GroupCount[]> {
  const found = new Groups(limit);
  const reader = new HourReader(query, (_bucket, ofClass, value, hits) =>
    found.add(byClass ? ofClass : value, ofClass, hits),
  );
  await readHours(store, linkIds, query, reader);
  found.finish();
  return found.largest;
}

async function readHours(
  store: JobStore,
  linkIds: readonly number[],
  query: HourQuery,
  reader: HourReader,
): Promise<void> {
  for (let first = 0; first < linkIds.length; first += linksAtOnce)
    await readHoursOf(store, linkIds.slice(first, first + linksAtOnce), query, reader);
}

/** Reads in the order of the table's key, link by link. */
async function readHoursOf(
  store: JobStore,
  linkIds: readonly number[],
  { starts }: HourQuery,
  reader: HourReader,
): Promise<void> {
  const [begin, end] = [starts[0] ?? 0, starts.at(-1) ?? 0];
  let [link, from] = [linkIds[0] ?? 0, begin];
  for (let left = linkIds; ; ) {
    store.keepGoing();
    const hours = await store.rows<CountedHour>(
      `select link_id, hour, click, counts from link_hours where link_id in (${left.join(', ')})
       and hour >= $1 and hour < $2 and (link_id, hour) >= ($3, $4)
       order by link_id, hour limit ${hoursAtOnce}`,
      [begin, end, link, from],
    );
    for (const hour of hours) reader.read(hour);
    const last = hours.at(-1);
    if (last === undefined || hours.length < hoursAtOnce) return;
    [link, from] = [last.link_id, last.hour + 1];
    left = left.filter((id) => id >= link);
  }
}
