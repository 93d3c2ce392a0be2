import { type HitColumn, rollupClassOf } from '../../rules/click-fields.ts';
import { hourLength } from '../../rules/durations.ts';
import { shownReason } from '../../rules/reclassified.ts';
import type { Schema } from '../../storage/schema.ts';
import {
  type ColumnOrValue,
  doubles,
  isAscending,
  rangeOf,
  valueIn,
  valuesOf,
  writeCoded,
  writeDifferences,
} from './chunk-column.ts';
import { tallyWriter } from './chunk-tally.ts';
import type { HitsToStore } from './stored-columns.ts';

/**
 * Many hits of an organization, stored column by column, each column in a row of its own: a query reads only the columns that it
 * needs. Rows and packs become chunks some time after the fold (`sqlite-chunks.ts`). In a chunk hits are sorted by link, and by
 * id within a link.
 */
export const minInChunk = 16_384;
/** The range of a code of two bytes. */
export const maxInChunk = 2 ** 16;

/**
 * The columns of a chunk: the index in this list is part of a column's key, so columns may only be added at its end. A chunk made
 * before a column was added has 0 there. Only a chunk with hits whose class a person has changed has `stored_reason`; in other
 * chunks it equals `reason`. An instant is kept in two parts, because most queries count by the hour and need no more of it.
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
  'rule',
  'variant',
  'region',
  'city',
  'alias',
] as const;
export type ChunkColumn = (typeof chunkColumns)[number];

/** More than there are columns. */
const maxColumns = 32;
export const columnKey = (chunk: number, column: ChunkColumn): number =>
  chunk * maxColumns + chunkColumns.indexOf(column);
export const chunkOfKey = (key: number): number => Math.floor(key / maxColumns);
/** The first key after this chunk's columns. */
export const endOfKeys = (chunk: number): number => (chunk + 1) * maxColumns;

/** Columns of hits that are stored under the same name. */
export const keptColumns = chunkColumns
  .slice(4)
  .filter((name): name is Exclude<HitColumn, 'at' | 'organization_id'> => name !== 'stored_reason');

/** What a row of `hit_chunks` says about its hits. */
export type ChunkFacts = Readonly<Omit<Schema['hit_chunks'], 'id' | 'made_at'>>;

/** A link's rows in a chunk: from `first` up to `end`. */
export interface LinkRows {
  readonly link: number;
  readonly first: number;
  readonly end: number;
}

/** Statistics group by these. No tallies are kept of the others, which have about as many values as hits. */
export const talliedColumns = chunkColumns.slice(
  chunkColumns.indexOf('target'),
  chunkColumns.indexOf('utm_term'),
);
export const isTallied = (column: ChunkColumn): boolean => talliedColumns.includes(column);

export interface NewChunk {
  readonly facts: ChunkFacts;
  readonly tallies: readonly { readonly column: ChunkColumn; readonly cells: Uint8Array }[];
  readonly columns: readonly { readonly column: ChunkColumn; readonly cells: Uint8Array }[];
  readonly links: readonly LinkRows[];
}

/** Makes a chunk from hits of one organization; at least one. Those of a link must be sorted by id. */
export function chunkOf(stored: HitsToStore): NewChunk {
  const rows = stored.count;
  const order = orderByLink(stored.column('link_id'));
  const ordered = (column: ColumnOrValue): ColumnOrValue =>
    order === null || typeof column === 'number' ? column : reordered(doubles(column), order);
  const ids = valuesOf(ordered(stored.ids), rows);
  const instants = valuesOf(ordered(stored.column('at')), rows);
  const links = ordered(stored.column('link_id'));
  const reasons = ordered(stored.column('reason'));
  const classes = classesOf(ordered(stored.column('class')), ordered(stored.column('outcome')), rows);
  const hours = hoursOf(instants);
  const isChanged = hasChangedClasses(reasons);
  const cellsOf = (column: ChunkColumn): Uint8Array => {
    switch (column) {
      case 'id':
        return writeDifferences(ids);
      case 'milliseconds':
        return writeDifferences(millisecondsOf(instants, hours));
      case 'hour':
        return writeCoded(hours);
      case 'rollup_class':
        return writeCoded(classes);
      case 'link_id':
        return writeCoded(links);
      case 'reason':
        return writeCoded(isChanged ? valuesOf(reasons, rows).map(shownReason) : reasons);
      case 'stored_reason':
        return writeCoded(reasons);
      default:
        return writeCoded(ordered(stored.column(column)));
    }
  };
  const columns = chunkColumns.filter((column) => column !== 'stored_reason' || isChanged);
  const cells = new Map(columns.map((column) => [column, cellsOf(column)]));
  const none = new Uint8Array();
  const tally = tallyWriter(cells.get('rollup_class') ?? none, rows);
  const [spanOfIds, spanOfInstants] = [rangeOf(ids), rangeOf(instants)];
  return {
    facts: {
      organization_id: valueIn(stored.column('organization_id'), 0),
      hits: rows,
      first_id: spanOfIds.min,
      last_id: spanOfIds.max,
      first_at: spanOfInstants.min,
      last_at: spanOfInstants.max,
      classes: bitsOf(classes),
    },
    columns: Array.from(cells, ([column, cells]) => ({ column, cells })),
    tallies: talliedColumns.map((column) => ({ column, cells: tally(cells.get(column) ?? none) })),
    links: linksOf(links, rows),
  };
}

/** The rows sorted by link, keeping the order within a link; null if they are already in that order. */
function orderByLink(column: ColumnOrValue): Int32Array | null {
  if (typeof column === 'number') return null;
  const links = doubles(column);
  if (isAscending(links)) return null;
  const keys = links.map((link, row) => link * maxInChunk + row).sort();
  return Int32Array.from(keys, (key) => key % maxInChunk);
}

function reordered(column: Float64Array, order: Int32Array): Float64Array {
  const cells = new Float64Array(order.length);
  for (let row = 0; row < order.length; row++) cells[row] = column[order[row] ?? 0] ?? 0;
  return cells;
}

// Loops: `map` takes five times as long.

function classesOf(classes: ColumnOrValue, outcomes: ColumnOrValue, rows: number): ColumnOrValue {
  if (typeof classes === 'number' && typeof outcomes === 'number') return rollupClassOf(classes, outcomes);
  const [ofClass, ofOutcome] = [valuesOf(classes, rows), valuesOf(outcomes, rows)];
  const rollups = new Float64Array(rows);
  for (let row = 0; row < rows; row++) rollups[row] = rollupClassOf(ofClass[row] ?? 0, ofOutcome[row] ?? 0);
  return rollups;
}

function hoursOf(instants: Float64Array): Float64Array {
  const hours = new Float64Array(instants.length);
  for (let row = 0; row < hours.length; row++) hours[row] = Math.floor((instants[row] ?? 0) / hourLength);
  return hours;
}

function millisecondsOf(instants: Float64Array, hours: Float64Array): Float64Array {
  const rest = new Float64Array(instants.length);
  for (let row = 0; row < rest.length; row++)
    rest[row] = (instants[row] ?? 0) - (hours[row] ?? 0) * hourLength;
  return rest;
}

function hasChangedClasses(reasons: ColumnOrValue): boolean {
  if (typeof reasons === 'number') return reasons !== shownReason(reasons);
  for (let row = 0; row < reasons.length; row++) {
    const reason = reasons[row] ?? 0;
    if (reason !== shownReason(reason)) return true;
  }
  return false;
}

function bitsOf(classes: ColumnOrValue): number {
  if (typeof classes === 'number') return 1 << classes;
  let bits = 0;
  for (let row = 0; row < classes.length; row++) bits |= 1 << (classes[row] ?? 0);
  return bits;
}

function linksOf(column: ColumnOrValue, rows: number): LinkRows[] {
  if (typeof column === 'number') return [{ link: column, first: 0, end: rows }];
  const links: LinkRows[] = [];
  for (let first = 0; first < rows; ) {
    const link = column[first] ?? 0;
    let end = first + 1;
    while (end < rows && column[end] === link) end++;
    links.push({ link, first, end });
    first = end;
  }
  return links;
}
