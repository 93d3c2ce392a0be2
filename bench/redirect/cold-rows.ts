import { formatNumber, formatRange } from '../table.ts';
import type { Cold } from './cold.ts';
import type { ColdPostgres } from './cold-postgres.ts';

/** The cost of each kind of visit, for the terminal and for the page. */
export const coldCosts = (cold: Cold): readonly (readonly string[])[] => [
  ['a cached link', formatNumber(cold.hitCpu)],
  ['an uncached link (SQLite)', formatNumber(cold.missCpu)],
  ['a cached address without a link', formatNumber(cold.unknownCpu)],
  ['new addresses without links', formatNumber(cold.floodCpu)],
  ['a cached link (PostgreSQL)', formatNumber(cold.postgres.hitCpu)],
  ['an uncached link (PostgreSQL)', formatNumber(cold.postgres.missCpu)],
];

export const coldLatencies = (cold: ColdPostgres): readonly (readonly string[])[] =>
  (
    [
      ['a cached link', cold.known],
      ['an uncached link', cold.unknown],
      ['the look-up alone (difference)', cold.added],
      ['`select 1` through `pg`', cold.selectOne],
      ['a link by its key, through `pg`', cold.sameQuestion],
    ] as const
  ).map(([name, latency]) => [name, formatNumber(latency.median), formatRange(latency)]);
