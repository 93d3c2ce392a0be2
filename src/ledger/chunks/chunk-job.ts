import type { HitColumn } from '../../rules/click-fields.ts';
import type { JobStore } from '../../storage/database.ts';
import { Groups } from '../groups.ts';
import type { HitCount, HitFilter, HitPage, PageAfter, PageBefore, StoredHit } from '../ledger.ts';
import { ChunkCounts, type CountedBy } from './chunk-counts.ts';
import { chunksOf, type RequestedCells, readWhole, stillExist } from './chunk-reader.ts';
import type { ChunkRow, ChunkScan } from './chunk-scan.ts';
import { type ChunkColumn, isTallied, maxInChunk } from './hit-chunk.ts';

/** A query on the chunks of an owner. Chunks that were made after it began, beyond `upTo`, are ignored. */
export type ChunkQuery = { readonly filter: HitFilter; readonly upTo: number } & (
  | ({ readonly kind: 'count' } & CountedBy)
  | ({ readonly kind: 'groups' } & GroupedBy)
  | {
      readonly kind: 'before';
      readonly page: PageBefore;
      /** Milliseconds after which it ends with the results so far. */
      readonly time: number;
    }
  | { readonly kind: 'after'; readonly page: PageAfter }
);

interface GroupedBy {
  readonly by: HitColumn;
  readonly from: number;
  readonly maxValues: number;
  /** The first hours of buckets to count hits in at the same time, or null. The filter must then have values. */
  readonly starts: readonly number[] | null;
}

export interface ChunkGroups {
  /** Triples of value, clicks and hits. */
  readonly groups: Float64Array;
  /** The lowest value that is left for another round. */
  readonly end: number;
  readonly counts: readonly HitCount[];
}

/**
 * Run by `Database.compute` in a thread of its own: on SQLite, sending chunks would cost more than reading them. Null if the chunks up
 * to `upTo` no longer exist: see `stillExist`.
 */
export default async function answer(store: JobStore, query: ChunkQuery): Promise<unknown> {
  if (!(await stillExist(store, query))) return null;
  switch (query.kind) {
    case 'count':
      return count(store, query, query);
    case 'groups':
      return groups(store, query, query);
    case 'before':
      return before(store, query, query.page, query.time);
    case 'after':
      return after(store, query, query.page);
  }
}

type QueryScope = Pick<ChunkQuery, 'filter' | 'upTo'>;

async function count(store: JobStore, scope: QueryScope, counted: CountedBy): Promise<HitCount[]> {
  const counts = new ChunkCounts(counted, scope.filter);
  const columns = (row: ChunkRow) => ['rollup_class', counts.columnFor(row)] as const;
  for await (const chunk of chunksOf(store, scope, { columns }))
    if (chunk.select(scope.filter) > 0) counts.add(chunk);
  return counts.counts;
}

async function groups(
  store: JobStore,
  scope: QueryScope,
  { by, from, maxValues, starts }: GroupedBy,
): Promise<ChunkGroups> {
  const found = new Groups(0);
  const { classes: requestedClasses } = scope.filter;
  const byHour = starts && new ChunkCounts({ by: 'hour', starts }, scope.filter);
  let end = Number.POSITIVE_INFINITY;
  const column = by === 'class' ? 'rollup_class' : columnFor(by);
  const requested: RequestedCells = {
    columns: (row) => ['rollup_class', column, ...(byHour ? [byHour.columnFor(row)] : [])],
    ...(isTallied(column) ? { tally: column } : {}),
  };
  for await (const chunk of chunksOf(store, scope, requested)) {
    const tally =
      (isTallied(column) ? chunk.tallyOf(column, scope.filter) : null) ??
      tallied(chunk, column, scope.filter);
    if (tally === null) continue;
    byHour?.add(chunk);
    const { values, classes, counts } = tally;
    for (let one = 0; one < classes.length; one++) {
      const ofClass = classes[one] ?? 0;
      if (requestedClasses !== undefined && !requestedClasses.includes(ofClass)) continue;
      for (let index = 0; index < values.length; index++) {
        const value = values[index] ?? 0;
        const hits = counts[index * classes.length + one] ?? 0;
        if (hits > 0 && value >= from && value < end) found.add(value, ofClass, hits);
      }
    }
    if (found.size > maxValues) end = found.forgetUpperHalf();
  }
  return { groups: found.inMemory, end, counts: byHour?.counts ?? [] };
}

function tallied(chunk: ChunkScan, column: ChunkColumn, filter: HitFilter) {
  if (chunk.select(filter) === 0) return null;
  const [by, classes] = [chunk.coded(column), chunk.coded('rollup_class')];
  return { values: by.values, classes: classes.values, counts: chunk.tally(by, classes) };
}

async function before(store: JobStore, scope: QueryScope, page: PageBefore, time: number): Promise<HitPage> {
  const startedAt = performance.now();
  const hits: StoredHit[] = [];
  const below = page.before ?? Number.POSITIVE_INFINITY;
  let { offset } = page;
  const span = { ...scope, below: Number.isFinite(below) ? below : scope.upTo + 1 };
  for await (const siblings of siblingChunks(chunksOf(store, span, { columns: () => [] }, 'desc'))) {
    const found: { readonly chunk: ChunkScan; readonly passed: Int32Array }[] = [];
    for (const chunk of siblings) {
      if (chunk.row.last_id >= below) await readWhole(store, chunk);
      if (chunk.select(scope.filter) > 0 && chunk.keepIds(0, below) > 0)
        found.push({ chunk, passed: chunk.passed.slice() });
    }
    const count = found.reduce((sum, { passed }) => sum + passed.length, 0);
    if (count <= offset) offset -= count;
    else {
      const end = offset + page.limit - hits.length;
      // If there are several chunks, any of them may contain the whole page.
      const skipped = found.length === 1 ? offset : 0;
      const newest: StoredHit[] = [];
      for (const { chunk, passed } of found) {
        await readWhole(store, chunk);
        const chosen = byId(chunk, passed).toReversed().slice(skipped, end);
        newest.push(...chunk.hitsOf(chosen));
      }
      if (found.length > 1) newest.sort((one, other) => other.id - one.id);
      hits.push(...newest.slice(offset - skipped, end - skipped));
      offset = 0;
    }
    const firstId = siblings[0]?.row.first_id ?? 0;
    const isTimeUp = performance.now() - startedAt > time;
    if (hits.length === page.limit || (isTimeUp && firstId > 1))
      return {
        hits,
        passed: page.offset - offset,
        stoppedAt: hits.length === page.limit ? null : firstId,
      };
  }
  return { hits, passed: page.offset - offset, stoppedAt: null };
}

async function after(store: JobStore, scope: QueryScope, page: PageAfter): Promise<StoredHit[]> {
  const hits: StoredHit[] = [];
  const span = { ...scope, above: page.after, below: page.upTo + 1 };
  for await (const siblings of siblingChunks(chunksOf(store, span, { columns: () => [] }))) {
    const oldest: StoredHit[] = [];
    for (const chunk of siblings) {
      await readWhole(store, chunk);
      if (chunk.select(scope.filter) === 0 || chunk.keepIds(page.after, page.upTo + 1) === 0) continue;
      const chosen = byId(chunk, chunk.passed).slice(0, page.limit - hits.length);
      oldest.push(...chunk.hitsOf(chosen));
    }
    if (siblings.length > 1) oldest.sort((one, other) => one.id - other.id);
    hits.push(...oldest.slice(0, page.limit - hits.length));
    if (hits.length === page.limit) break;
  }
  return hits;
}

/** Groups the chunks that were made from the same range of ids, one for each month. */
async function* siblingChunks(
  chunks: AsyncIterable<ChunkScan>,
): AsyncGenerator<readonly ChunkScan[], void, undefined> {
  let siblings: ChunkScan[] = [];
  for await (const chunk of chunks) {
    if (siblings[0] !== undefined && siblings[0].row.last_id !== chunk.row.last_id) {
      yield siblings;
      siblings = [];
    }
    siblings.push(chunk);
  }
  if (siblings.length > 0) yield siblings;
}

/** The rows sorted by id. */
function byId(chunk: ChunkScan, passed: Int32Array): number[] {
  const ids = chunk.differences('id');
  const keys = Float64Array.from(passed, (row) => (ids[row] ?? 0) * maxInChunk + row).sort();
  return Array.from(keys, (key) => key % maxInChunk);
}

function columnFor(name: HitColumn): ChunkColumn {
  if (name === 'at' || name === 'organization_id') throw new Error(`hits aren't counted by ${name}`);
  return name;
}
