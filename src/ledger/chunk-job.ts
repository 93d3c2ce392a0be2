import type { HitColumn } from '../rules/click-fields.ts';
import type { JobStore } from '../storage/database.ts';
import { type ChunkRow, ChunkScan } from './chunk-scan.ts';
import { Groups } from './groups.ts';
import type { ChunkColumn } from './hit-chunk.ts';
import type { HitCount, HitFilter, PageAfter, PageBefore, StoredHit } from './ledger.ts';

/** A question to the chunks of an owner. Chunks that were made after it began, beyond `upTo`, are not its own. */
export type ChunkQuestion = { readonly filter: HitFilter; readonly upTo: number } & (
  | { readonly kind: 'count'; readonly by: 'hour' | 'class' }
  | { readonly kind: 'groups'; readonly by: HitColumn; readonly from: number; readonly maxValues: number }
  | {
      readonly kind: 'before';
      readonly page: PageBefore;
      /** Milliseconds after which it ends with what it has. */
      readonly time: number;
    }
  | { readonly kind: 'after'; readonly page: PageAfter }
);

export interface ChunkGroups {
  /** Value, clicks and hits, one behind the other. */
  readonly groups: Float64Array;
  /** The lowest value that was left for another round. */
  readonly end: number;
}

export interface ChunkPage {
  readonly hits: readonly StoredHit[];
  /** How many hits were passed over. */
  readonly passed: number;
  /** Where its time was over: hits with lower ids were not looked at. Null when all were. */
  readonly stoppedAt: number | null;
}

/** Run by `Database.compute`, in a thread that has the data: chunks would cost more to be sent than to be read. */
export default function answer(store: JobStore, question: ChunkQuestion): unknown {
  switch (question.kind) {
    case 'count':
      return count(store, question, question.by);
    case 'groups':
      return groups(store, question, question);
    case 'before':
      return before(store, question, question.page, question.time);
    case 'after':
      return after(store, question, question.page);
  }
}

type Asked = Pick<ChunkQuestion, 'filter' | 'upTo'>;

function count(store: JobStore, asked: Asked, by: 'hour' | 'class'): HitCount[] {
  const sums = new Map<number, number>();
  const maxClasses = 16;
  for (const chunk of scans(store, asked, '', [], 'asc')) {
    if (chunk.select(asked.filter) === 0) continue;
    const classes = chunk.coded('rollup_class');
    const values = chunk.coded(by === 'hour' ? 'hour' : 'rollup_class');
    const counts = chunk.tally(values, classes);
    for (let index = 0; index < counts.length; index++) {
      const hits = counts[index] ?? 0;
      if (hits === 0) continue;
      const value = values.values[Math.floor(index / classes.values.length)] ?? 0;
      const key = value * maxClasses + (classes.values[index % classes.values.length] ?? 0);
      sums.set(key, (sums.get(key) ?? 0) + hits);
    }
  }
  return Array.from(sums, ([key, hits]) => ({
    value: Math.floor(key / maxClasses),
    class: key % maxClasses,
    hits,
  }));
}

function groups(
  store: JobStore,
  asked: Asked,
  { by, from, maxValues }: { readonly by: HitColumn; readonly from: number; readonly maxValues: number },
): ChunkGroups {
  const found = new Groups(0);
  const { classes: wanted } = asked.filter;
  let end = Number.POSITIVE_INFINITY;
  for (const chunk of scans(store, asked, '', [], 'asc')) {
    const column = by === 'class' ? 'rollup_class' : columnFor(by);
    const tally = chunk.tallyOf(column, asked.filter) ?? tallied(chunk, column, asked.filter);
    if (tally === null) continue;
    const { values, classes, counts } = tally;
    for (let one = 0; one < classes.length; one++) {
      const ofClass = classes[one] ?? 0;
      if (wanted !== undefined && !wanted.includes(ofClass)) continue;
      for (let index = 0; index < values.length; index++) {
        const value = values[index] ?? 0;
        const hits = counts[index * classes.length + one] ?? 0;
        if (hits > 0 && value >= from && value < end) found.add(value, ofClass, hits);
      }
    }
    if (found.size > maxValues) end = found.forgetUpperHalf();
  }
  return { groups: found.inMemory, end };
}

function tallied(chunk: ChunkScan, column: ChunkColumn, filter: HitFilter) {
  if (chunk.select(filter) === 0) return null;
  const [by, classes] = [chunk.coded(column), chunk.coded('rollup_class')];
  return { values: by.values, classes: classes.values, counts: chunk.tally(by, classes) };
}

function before(store: JobStore, asked: Asked, page: PageBefore, time: number): ChunkPage {
  const begun = performance.now();
  const hits: StoredHit[] = [];
  const below = page.before ?? Number.POSITIVE_INFINITY;
  let { offset } = page;
  const start = Number.isFinite(below) ? below : asked.upTo + 1;
  for (const chunk of scans(store, asked, 'chunks.first_id < ?', [start], 'desc')) {
    if (chunk.select(asked.filter) > 0 && chunk.keepIds(0, below) > 0) {
      const { passed } = chunk;
      if (passed.length <= offset) offset -= passed.length;
      else {
        const missing = page.limit - hits.length;
        const chosen = byId(chunk, passed)
          .toReversed()
          .slice(offset, offset + missing);
        hits.push(...chunk.hitsOf(chosen));
        offset = 0;
      }
    }
    const isOver = performance.now() - begun > time;
    if (hits.length === page.limit || (isOver && chunk.row.first_id > 1))
      return {
        hits,
        passed: page.offset - offset,
        stoppedAt: hits.length === page.limit ? null : chunk.row.first_id,
      };
  }
  return { hits, passed: page.offset - offset, stoppedAt: null };
}

function after(store: JobStore, asked: Asked, page: PageAfter): StoredHit[] {
  const hits: StoredHit[] = [];
  const span = [page.after, page.upTo];
  for (const chunk of scans(store, asked, 'chunks.last_id > ? and chunks.first_id <= ?', span, 'asc')) {
    if (chunk.select(asked.filter) === 0 || chunk.keepIds(page.after, page.upTo + 1) === 0) continue;
    hits.push(...chunk.hitsOf(byId(chunk, chunk.passed).slice(0, page.limit - hits.length)));
    if (hits.length === page.limit) break;
  }
  return hits;
}

/** Rows in the order of their ids. */
function byId(chunk: ChunkScan, passed: Int32Array): number[] {
  const ids = chunk.differences('id');
  const maxRows = 2 ** 15;
  const keys = Float64Array.from(passed, (row) => (ids[row] ?? 0) * maxRows + row).sort();
  return Array.from(keys, (key) => key % maxRows);
}

function columnFor(name: HitColumn): ChunkColumn {
  if (name === 'at' || name === 'organization_id') throw new Error(`hits aren't counted by ${name}`);
  return name;
}

const chunkFacts =
  'chunks.id, chunks.hits, chunks.organization_id, chunks.first_id, chunks.last_id, chunks.first_at, chunks.last_at';

/** The chunks that may have what is asked for, by their ids. Ids of hits rise with those of chunks. */
function* scans(
  store: JobStore,
  { filter: { owner, classes, from, to }, upTo }: Asked,
  condition: string,
  parameters: readonly number[],
  order: 'asc' | 'desc',
): Generator<ChunkScan> {
  const ofLink = owner.kind === 'link';
  const conditions = [
    ofLink ? 'links.link_id = ?' : 'chunks.organization_id = ?',
    'chunks.last_id <= ?',
    ...(condition === '' ? [] : [condition]),
    ...(from === undefined ? [] : ['chunks.last_at >= ?']),
    ...(to === undefined ? [] : ['chunks.first_at < ?']),
    ...(classes === undefined ? [] : ['chunks.classes & ? <> 0']),
  ];
  const values = [
    owner.id,
    upTo,
    ...parameters,
    ...(from === undefined ? [] : [from]),
    ...(to === undefined ? [] : [to]),
    ...(classes === undefined
      ? []
      : [classes.reduce((bits, one) => (one < 0 ? bits : bits | (1 << one)), 0)]),
  ];
  const [rows, key] = ofLink
    ? [
        `links.first_row, links.end_row
          from hit_chunk_links as links cross join hit_chunks as chunks on chunks.id = links.chunk_id`,
        'links.chunk_id',
      ]
    : ['0 as first_row, chunks.hits as end_row from hit_chunks as chunks', 'chunks.id'];
  const found = store.rows<ChunkRow>(
    `select ${chunkFacts}, ${rows} where ${conditions.join(' and ')} order by ${key} ${order}`,
    values,
  );
  for (const row of found) {
    store.keepGoing();
    yield new ChunkScan(store, row);
  }
}
