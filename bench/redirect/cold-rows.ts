import { number, range } from '../table.ts';
import type { Cold } from './cold.ts';
import type { ColdPostgres } from './cold-postgres.ts';

/** The cost of each kind of visit, for the terminal and for the page. */
export const coldCosts = (cold: Cold): readonly (readonly string[])[] => [
  ['a cached link', number(cold.hitCpu)],
  ['an uncached link (SQLite)', number(cold.missCpu)],
  ['a cached address without a link', number(cold.unknownCpu)],
  ['new addresses without links', number(cold.floodCpu)],
  ['a cached link (PostgreSQL)', number(cold.postgres.hitCpu)],
  ['an uncached link (PostgreSQL)', number(cold.postgres.missCpu)],
];

export const coldWaits = (waits: ColdPostgres): readonly (readonly string[])[] =>
  (
    [
      ['a cached link', waits.known],
      ['an uncached link', waits.unknown],
      ['the look-up alone (difference)', waits.added],
      ['`select 1` through `pg`', waits.selectOne],
      ['a link by its key, through `pg`', waits.sameQuestion],
    ] as const
  ).map(([name, wait]) => [name, number(wait.median), range(wait)]);
