import { type HitColumn, rollupClassOf } from '../rules/click-fields.ts';
import { shownReason } from '../rules/reclassified.ts';
import { hourLength } from '../rules/utc-time.ts';
import { writeCoded, writeDifferences } from './chunk-column.ts';
import { writeTally } from './chunk-tally.ts';
import type { StoredHit } from './ledger.ts';

/**
 * Many hits of an organization column by column, each column in a row of its own: a question reads only the columns that it
 * asks for. Rows and packs become chunks some time after the fold (`sqlite-chunks.ts`). In a chunk hits come link by link, those
 * of a link by their ids.
 */
export const minInChunk = 16_384;

/**
 * The columns of a chunk: the place in this list is part of a column's key, so it is only ever added to at its end. A chunk
 * that was made before a column was added has 0 there. Only a chunk with hits whose class a person has changed has
 * `stored_reason`; elsewhere it is the reason. An instant is kept in two parts, because most questions count by the
 * hour and need no more of it.
 */
export const chunkColumns = [
  'id',
  'milliseconds',
  'hour',
  'rollup_class',
  'link_id',
  'outcome',
  'target',
  'class',
  'reason',
  'device',
  'source',
  'country',
  'os',
  'browser',
  'language',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'stored_reason',
] as const;
export type ChunkColumn = (typeof chunkColumns)[number];
/** These are kept as differences, all others by codes. */
const distinctColumns: ReadonlySet<ChunkColumn> = new Set(['id', 'milliseconds']);

/** More than there are columns. */
const maxColumns = 32;
export const columnKey = (chunk: number, column: ChunkColumn): number =>
  chunk * maxColumns + chunkColumns.indexOf(column);
export const chunkOfKey = (key: number): number => Math.floor(key / maxColumns);
/** The first key that is no longer a column's of this chunk. */
export const endOfKeys = (chunk: number): number => (chunk + 1) * maxColumns;

/** Columns of hits that are kept under the same name. */
export const keptColumns = chunkColumns.slice(4, -1) as readonly Exclude<
  HitColumn,
  'at' | 'organization_id'
>[];

/** A row of `hit_chunks` without its id. */
export interface ChunkFacts {
  readonly organization_id: number;
  readonly hits: number;
  readonly first_id: number;
  readonly last_id: number;
  readonly first_at: number;
  readonly last_at: number;
  /** A bit for each class of the roll-ups that its hits have. */
  readonly classes: number;
}

/** Rows of a link in a chunk: from `first` up to `end`. */
export interface LinkRows {
  readonly link: number;
  readonly first: number;
  readonly end: number;
}

/** Statistics are grouped by these. Of others, with about as many values as hits, no tally is kept. */
const talliedColumns = chunkColumns.slice(chunkColumns.indexOf('target'), chunkColumns.indexOf('utm_term'));

export interface NewChunk {
  readonly facts: ChunkFacts;
  readonly tallies: readonly { readonly column: ChunkColumn; readonly cells: Uint8Array }[];
  readonly columns: readonly { readonly column: ChunkColumn; readonly cells: Uint8Array }[];
  readonly links: readonly LinkRows[];
}

/** Makes a chunk of hits of one organization, with their stored reasons, in any order; at least one. */
export function chunkOf(hits: readonly StoredHit[]): NewChunk {
  const sorted = hits.toSorted((one, other) => one.link_id - other.link_id || one.id - other.id);
  const classes = Float64Array.from(sorted, (hit) => rollupClassOf(hit.class, hit.outcome));
  const cellsOf = (column: ChunkColumn): Float64Array => {
    if (column === 'rollup_class') return classes;
    if (column === 'hour') return Float64Array.from(sorted, ({ at }) => Math.floor(at / hourLength));
    if (column === 'milliseconds')
      return Float64Array.from(sorted, ({ at }) => at - Math.floor(at / hourLength) * hourLength);
    if (column === 'reason') return Float64Array.from(sorted, ({ reason }) => shownReason(reason));
    if (column === 'stored_reason') return Float64Array.from(sorted, ({ reason }) => reason);
    return Float64Array.from(sorted, (hit) => hit[column]);
  };
  const isChanged = sorted.some(({ reason }) => reason !== shownReason(reason));
  const columns = chunkColumns.filter((column) => column !== 'stored_reason' || isChanged);
  const written = columns.map((column) => ({
    column,
    cells: distinctColumns.has(column) ? writeDifferences(cellsOf(column)) : writeCoded(cellsOf(column)),
  }));
  const cells = new Map(written.map((one) => [one.column, one.cells]));
  const none = new Uint8Array();
  return {
    facts: factsOf(sorted, classes),
    columns: written,
    tallies: talliedColumns.map((column) => ({
      column,
      cells: writeTally(cells.get(column) ?? none, cells.get('rollup_class') ?? none, sorted.length),
    })),
    links: linksOf(sorted),
  };
}

function factsOf(hits: readonly StoredHit[], classes: Float64Array): ChunkFacts {
  const facts = {
    organization_id: hits[0]?.organization_id ?? 0,
    hits: hits.length,
    first_id: Number.POSITIVE_INFINITY,
    last_id: 0,
    first_at: Number.POSITIVE_INFINITY,
    last_at: Number.NEGATIVE_INFINITY,
    classes: 0,
  };
  for (const [row, { id, at }] of hits.entries()) {
    facts.first_id = Math.min(facts.first_id, id);
    facts.last_id = Math.max(facts.last_id, id);
    facts.first_at = Math.min(facts.first_at, at);
    facts.last_at = Math.max(facts.last_at, at);
    facts.classes |= 1 << (classes[row] ?? 0);
  }
  return facts;
}

function linksOf(hits: readonly StoredHit[]): LinkRows[] {
  const links: LinkRows[] = [];
  for (let first = 0; first < hits.length; ) {
    const link = hits[first]?.link_id ?? 0;
    let end = first + 1;
    while (hits[end]?.link_id === link) end++;
    links.push({ link, first, end });
    first = end;
  }
  return links;
}
