import { dimensionCodes, rollupClassCodes } from '../../rules/click-fields.ts';
import type { JobStore } from '../../storage/database.ts';
import { bucketIndex } from './bucket-index.ts';
import { classOf, eachCountOf, reasonOf } from './hour-counts.ts';

/** What to count in a link's hours: a dimension that is stored in `counts`, all of it or one value, in all classes or some. */
interface HourQuery {
  readonly dimension: number;
  readonly value: number | undefined;
  readonly classes: readonly number[] | undefined;
  /** The first hours of the buckets, then the end of the last one. */
  readonly starts: readonly number[];
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

/** Adds up a link's hours by bucket, class and value. */
class HourSums {
  readonly #query: HourQuery;
  readonly #sums = new Map<number, Map<number, number>>();

  constructor(query: HourQuery) {
    this.#query = query;
  }

  add({ hour, click, counts }: CountedHour): void {
    const { dimension, starts } = this.#query;
    const bucket = bucketIndex(starts, hour);
    if (dimension === dimensionCodes.reason) {
      eachCountOf(dimension, counts, (value, hits) =>
        this.#take(bucket, classOf(value), reasonOf(value), hits),
      );
      return;
    }
    let unwritten = click;
    eachCountOf(dimension, counts, (value, hits) => {
      unwritten -= hits;
      this.#take(bucket, rollupClassCodes.click, value, hits);
    });
    if (dimension !== dimensionCodes.variant_visitors)
      this.#take(bucket, rollupClassCodes.click, 0, unwritten);
  }

  /** Groups of four: bucket, class, value and hits. */
  get rows(): Float64Array {
    const rows: number[] = [];
    for (const [key, sums] of this.#sums)
      for (const [value, hits] of sums)
        rows.push(Math.floor(key / maxClasses), key % maxClasses, value, hits);
    return Float64Array.from(rows);
  }

  #take(bucket: number, ofClass: number, value: number, hits: number): void {
    const { value: requestedValue, classes } = this.#query;
    if (hits <= 0 || (requestedValue !== undefined && requestedValue !== value)) return;
    if (classes !== undefined && !classes.includes(ofClass)) return;
    const key = bucket * maxClasses + ofClass;
    let sums = this.#sums.get(key);
    if (sums === undefined) {
      sums = new Map();
      this.#sums.set(key, sums);
    }
    sums.set(value, (sums.get(value) ?? 0) + hits);
  }
}

const maxClasses = 16;

/** Run by `Database.compute`: the texts are larger than their sums, and parsing them would block the main thread. */
export default async function answer(
  store: JobStore,
  { linkIds, ...query }: HourQuery & { readonly linkIds: readonly number[] },
): Promise<Float64Array> {
  const sums = new HourSums(query);
  for (let first = 0; first < linkIds.length; first += linksAtOnce)
    await addHours(store, linkIds.slice(first, first + linksAtOnce), query, sums);
  return sums.rows;
}

/** Reads in the order of the table's key, link by link. */
async function addHours(
  store: JobStore,
  linkIds: readonly number[],
  { starts }: HourQuery,
  sums: HourSums,
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
    for (const hour of hours) sums.add(hour);
    const last = hours.at(-1);
    if (last === undefined || hours.length < hoursAtOnce) return;
    [link, from] = [last.link_id, last.hour + 1];
    left = left.filter((id) => id >= link);
  }
}
