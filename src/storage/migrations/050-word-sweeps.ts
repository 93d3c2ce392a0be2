import { dayLength } from '../../rules/durations.ts';
import type { Migration } from '../migration.ts';

/** Unused words are deleted by sweeps: in which sweep a word was last asked for, and the progress of sweeps. */
export const wordSweeps: Migration = ({ integer, now, partitions, tableEnd }) => [
  `alter table words add column sweep ${integer} not null default 0`,
  `create table word_sweeps (
    sweep ${integer} not null,
    wanted ${integer} not null,
    claimed_until ${integer} not null,
    finished_at ${integer} not null
  ) ${tableEnd}`,
  // Earlier erasures have left words as well. Programs of the previous release, which may run at the same time on PostgreSQL
  // during an upgrade, don't record which words they use: for as long as that may take, none is deleted.
  `insert into word_sweeps (sweep, wanted, claimed_until, finished_at)
    select 0, words.has_any, ${partitions ? `words.has_any * (${now} + ${dayLength})` : '0'}, ${now}
    from (select case when exists (select 1 from words) then 1 else 0 end as has_any) as words`,
];
