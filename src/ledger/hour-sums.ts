import { dimensionCodes, rollupClassCodes } from '../rules/click-fields.ts';
import type { JobStore } from '../storage/database.ts';
import { bucketIndex } from './bucket-index.ts';
import { classOf, eachCountOf, reasonOf } from './hour-counts.ts';

/** What is counted of a link's hours: a dimension that is kept in texts, all of it or one value, in all classes or some. */
interface HourQuestion {
  readonly dimension: number;
  readonly value: number | undefined;
  readonly classes: readonly number[] | undefined;
  /** The first hours of the buckets, and the first hour behind the last one. */
  readonly starts: readonly number[];
}

/** An hour of `link_hours`. */
interface CountedHour {
  readonly hour: number;
  readonly click: number;
  readonly counts: string;
}

/** Texts of so many hours are read at once, so that parsing them doesn't block other work for long. */
const hoursAtOnce = 1_000;

/** Adds up a link's hours by bucket, class and value. */
class HourSums {
  readonly #question: HourQuestion;
  readonly #sums = new Map<number, Map<number, number>>();

  constructor(question: HourQuestion) {
    this.#question = question;
  }

  add({ hour, click, counts }: CountedHour): void {
    const { dimension, starts } = this.#question;
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
    this.#take(bucket, rollupClassCodes.click, 0, unwritten);
  }

  /** Bucket, class, value and hits, one behind the other. */
  get rows(): Float64Array {
    const rows: number[] = [];
    for (const [key, sums] of this.#sums)
      for (const [value, hits] of sums)
        rows.push(Math.floor(key / maxClasses), key % maxClasses, value, hits);
    return Float64Array.from(rows);
  }

  #take(bucket: number, ofClass: number, value: number, hits: number): void {
    const { value: wanted, classes } = this.#question;
    if (hits <= 0 || (wanted !== undefined && wanted !== value)) return;
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

/** Run by `Database.compute`: the texts are more than their sums, and parsing them holds up the thread that does it. */
export default async function answer(
  store: JobStore,
  { linkId, ...question }: HourQuestion & { readonly linkId: number },
): Promise<Float64Array> {
  const sums = new HourSums(question);
  const end = question.starts.at(-1) ?? 0;
  for (let from = question.starts[0] ?? 0; ; ) {
    store.keepGoing();
    const hours = await store.rows<CountedHour>(
      `select hour, click, counts from link_hours
       where link_id = $1 and hour >= $2 and hour < $3 order by hour limit ${hoursAtOnce}`,
      [linkId, from, end],
    );
    for (const hour of hours) sums.add(hour);
    if (hours.length < hoursAtOnce) return sums.rows;
    from = (hours.at(-1)?.hour ?? from) + 1;
  }
}
