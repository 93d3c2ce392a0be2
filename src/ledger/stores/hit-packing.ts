import { hitColumns } from '../../rules/click-fields.ts';
import { monthOf } from '../../rules/utc-time.ts';
import { yieldCore } from '../../threads/yield-core.ts';
import { maxInChunk } from '../chunks/hit-chunk.ts';
import type { Column, FoldBatch, HitIdOf, Hits } from '../fold-store.ts';
import { maxInPack } from '../packs/pack-layout.ts';
import type { PackWriter, Rows } from '../packs/pack-writer.ts';

const linkColumn = hitColumns.indexOf('link_id');
const organizationColumn = hitColumns.indexOf('organization_id');
const instantColumn = hitColumns.indexOf('at');

/** Some hits of an organization: positions from `from` up to `to` in `Packing.packed`. A hit's id follows from its position. */
export interface Part {
  readonly organizationId: number;
  readonly from: number;
  readonly to: number;
}

/** How the hits of a batch are stored. */
export interface Packing {
  readonly hits: Hits;
  /** The packs to write, sorted by id. */
  readonly packs: readonly Part[];
  /** The chunks to write, sorted by id. */
  readonly chunks: readonly Part[];
  /** Rows that go into packs and chunks, sorted by id; null: all of them, in their own order. */
  readonly packed: Rows;
  /** Hits that are written as rows, and their rows in the batch; null: all of them. */
  readonly left: Hits;
  readonly leftRows: readonly number[] | null;
}

interface PackingRules {
  /** An organization with fewer hits in a batch has them as rows. */
  readonly minHits: number;
  /** Milliseconds. A batch that spans more isn't packed. */
  readonly maxSpan: number;
  /** Whether a pack ends at the end of a UTC month. */
  readonly byMonth: boolean;
  /** Whether this many hits of an organization are written as chunks directly. */
  readonly isChunked?: (organizationId: number, hits: number) => boolean;
}

/** Divides a batch into packs of one organization each, and rows for the rest. Packs need hits sorted by link. */
export function packingOf(
  { isByLink, hits }: Pick<FoldBatch, 'isByLink' | 'hits'>,
  rules: PackingRules,
): Packing {
  const { maxSpan, byMonth } = rules;
  const { first, last } = spanOf(hits);
  if (!isByLink || last - first > maxSpan)
    return { hits, packs: [], chunks: [], packed: new Int32Array(), left: hits, leftRows: null };
  const isOfOneMonth = !byMonth || hits.count === 0 || monthOf(first) === monthOf(last);
  const organizations = hits.columns[organizationColumn] ?? new Float64Array(hits.count);
  return partsOf(hits, isOfOneMonth ? organizations : monthKeys(hits), rules);
}

/** The ids of a batch whose first id is `firstId`, by row: packs have the first ids, rows the last. */
export function idsOf({ hits: { count }, packed, leftRows }: Packing, firstId: number): Float64Array {
  const ids = new Float64Array(count);
  let id = firstId;
  for (let at = 0; at < (packed?.length ?? count); at++) ids[packed?.[at] ?? at] = id++;
  if (packed === null) return ids;
  for (let at = 0; at < (leftRows?.length ?? count); at++) ids[leftRows?.[at] ?? at] = id++;
  return ids;
}

/** `ids` returns the ids of the batch's hits by row; it is only called when an id is needed. */
export function hitIdOf(
  { order, hits }: Pick<FoldBatch, 'order' | 'hits'>,
  ids: () => Float64Array,
): HitIdOf {
  let byIndex: Float64Array | null = null;
  return (index) => {
    byIndex ??= order === null ? ids() : inOrderOfArrival(ids(), order, hits.count);
    return byIndex[index] ?? 0;
  };
}

function inOrderOfArrival(ids: Float64Array, order: Int32Array, count: number): Float64Array {
  const byIndex = new Float64Array(count);
  for (let row = 0; row < count; row++) byIndex[order[row] ?? 0] = ids[row] ?? 0;
  return byIndex;
}

/** A new pack. Its cells are valid until the next one is made. */
interface NewPack {
  readonly id: number;
  readonly organizationId: number;
  readonly hits: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly cells: Uint8Array;
  /** Each of its links once, sorted. Valid until the next pack is made. */
  readonly links: readonly number[];
}

/** Makes the packs of a batch one by one; the first one has the id `firstId`. */
export function* packsOf(
  writer: PackWriter,
  { hits, packs, packed }: Packing,
  firstId: number,
): Generator<NewPack> {
  if (packs.length === 0) return;
  writer.begin(hits, packed);
  for (const { organizationId, from, to } of packs) {
    const id = firstId + from;
    const cells = writer.pack(from, to);
    const [firstAt = 0, lastAt = 0] = writer.ends('at');
    const links = linksIn(hits.columns[linkColumn], packed, from, to);
    yield { id, organizationId, hits: to - from, firstAt, lastAt, cells, links };
    yieldCore();
  }
}

function linksIn(ofLink: Column | undefined, rows: Rows, from: number, to: number): number[] {
  const links: number[] = [];
  let previous = Number.NaN;
  for (let at = from; at < to; at++) {
    const link = ofLink?.[rows === null ? at : (rows[at] ?? 0)] ?? 0;
    if (link !== previous) links.push(link);
    previous = link;
  }
  return links;
}

export function spanOf({ columns, count }: Hits): { readonly first: number; readonly last: number } {
  const instants = columns[instantColumn];
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < count; row++) {
    const instant = instants?.[row] ?? 0;
    if (instant < first) first = instant;
    if (instant > last) last = instant;
  }
  return { first, last };
}

/** A number per hit that identifies its organization and month. */
function monthKeys({ columns, count }: Hits): Column {
  const [instants, organizations] = [columns[instantColumn], columns[organizationColumn]];
  const numbers = new Map<string, number>();
  return Float64Array.from({ length: count }, (_, row) => {
    return numbers.getOrInsert(`${organizations?.[row]} ${monthOf(instants?.[row] ?? 0)}`, numbers.size);
  });
}

/** Sorts the rows by key, keeping the order of equal keys. Each key belongs to one organization. */
function partsOf(hits: Hits, keys: Column, { minHits, isChunked = () => false }: PackingRules): Packing {
  const { columns, count } = hits;
  const organizations = columns[organizationColumn];
  const sums = new Map<number, { readonly organizationId: number; hits: number }>();
  eachRun(keys, count, (key, from, to) => {
    const sum = sums.get(key);
    if (sum) sum.hits += to - from;
    else sums.set(key, { organizationId: organizations?.[from] ?? 0, hits: to - from });
  });
  const none = { columns, count: 0 };
  const packs: Part[] = [];
  const chunks: Part[] = [];
  const add = (part: Part) => {
    const isChunk = isChunked(part.organizationId, part.to - part.from);
    (isChunk ? chunks : packs).push(...evenParts(part, isChunk ? maxInChunk : maxInPack));
  };
  const [only] = sums.values();
  if (sums.size === 1 && only !== undefined && count >= minHits) {
    add({ organizationId: only.organizationId, from: 0, to: count });
    return { hits, packs, chunks, packed: null, left: none, leftRows: [] };
  }
  const next = new Map<number, number>();
  let nextPosition = 0;
  for (const [key, { organizationId, hits: ofKey }] of sums) {
    if (ofKey < minHits) continue;
    add({ organizationId, from: nextPosition, to: nextPosition + ofKey });
    next.set(key, nextPosition);
    nextPosition += ofKey;
  }
  const packed = new Int32Array(nextPosition);
  const leftRows: number[] = [];
  eachRun(keys, count, (key, from, to) => {
    const start = next.get(key);
    for (let row = from; row < to; row++) {
      if (start === undefined) leftRows.push(row);
      else packed[start + row - from] = row;
    }
    if (start !== undefined) next.set(key, start + to - from);
  });
  const left =
    leftRows.length === 0 ? none : { columns: selected(columns, leftRows), count: leftRows.length };
  return { hits, packs, chunks, packed, left, leftRows };
}

/** As few parts as possible, of about the same size. */
function evenParts({ organizationId, from, to }: Part, max: number): Part[] {
  const parts = Math.ceil((to - from) / max);
  const end = (part: number) => from + Math.floor(((to - from) * part) / parts);
  return Array.from({ length: parts }, (_, part) => ({
    organizationId,
    from: end(part),
    to: end(part + 1),
  }));
}

/** Calls `take` for each run of equal values. The rows of a link form at most one run. */
function eachRun(
  column: Column,
  count: number,
  take: (value: number, from: number, to: number) => void,
): void {
  for (let row = 0; row < count; ) {
    const value = column[row] ?? 0;
    const from = row++;
    while (row < count && column[row] === value) row++;
    take(value, from, row);
    yieldCore();
  }
}

const selected = (columns: readonly Column[], rows: readonly number[]): Column[] =>
  columns.map((column) => Float64Array.from(rows, (row) => column[row] ?? 0));
