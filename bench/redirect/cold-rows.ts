import { number, range } from '../table.ts';
import type { Cold } from './cold.ts';
import type { ColdPostgres } from './cold-postgres.ts';

/** What each kind of visit costs, as it is printed and as it is shown. */
export const coldCosts = (cold: Cold): readonly (readonly string[])[] => [
  ['a link that is known', number(cold.hitCpu)],
  ['a link that has to be looked up (SQLite)', number(cold.missCpu)],
  ['an address known to lead nowhere', number(cold.unknownCpu)],
  ['ever new addresses that lead nowhere', number(cold.floodCpu)],
  ['a link that is known (PostgreSQL)', number(cold.postgres.hitCpu)],
  ['a link that has to be looked up (PostgreSQL)', number(cold.postgres.missCpu)],
];

export const coldWaits = (waits: ColdPostgres): readonly (readonly string[])[] =>
  (
    [
      ['a link that is known', waits.known],
      ['a link that has to be looked up', waits.unknown],
      ['what looking it up adds', waits.added],
      ['`select 1` through `pg`', waits.selectOne],
      ['a link by its key, through `pg`', waits.sameQuestion],
    ] as const
  ).map(([name, wait]) => [name, number(wait.median), range(wait)]);
