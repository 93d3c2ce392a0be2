import type { Migration } from '../migration.ts';

/** The format of `ledger/counts/hour-counts.ts` in SQL: dimension 2 is the reasons, and a click's value 0 isn't written. */
const entry = `case when dimension = 2 or (dimension > 2 and value <> 0) then
  substr('abcdefghijklmnopqrstuvw', cast(dimension + 1 as integer), 1)
  || case when dimension = 2 then value * 8 + class else value end
  || case when hits = 1 then '' else 'x' || hits end end`;

const classes = ['click', 'page', 'preview', 'bot', 'prefetch', 'head', 'repeat'];
const summed = (condition: string): string => `sum(case when ${condition} then hits else 0 end)`;

/**
 * A link's hour is one row, instead of a row for each value of each dimension: a click writes one page of the table, not
 * thirteen.
 */
export const linkHours: Migration = ({ integer, keyedTableEnd }) => [
  `create table link_hours (
    link_id ${integer} not null,
    hour ${integer} not null,
    ${classes.map((name) => `${name} ${integer} not null,`).join('\n    ')}
    visitors ${integer} not null,
    loose ${integer} not null,
    counts text not null,
    primary key (link_id, hour)
  ) ${keyedTableEnd}`,
  `insert into link_hours (link_id, hour, ${classes.join(', ')}, visitors, loose, counts)
   select link_id, hour,
     ${classes.map((_, index) => summed(`dimension = 0 and class = ${index}`)).join(',\n     ')},
     ${summed('dimension = 1')}, 0, coalesce(string_agg(${entry}, ''), '')
   from link_rollups group by link_id, hour`,
  'drop table link_rollups',

  // Only rows that wait to be sorted: nearly always there are none.
  'create index link_hours_loose on link_hours (link_id, hour) where loose > 1000',
  // And only links with a webhook or a Zap: the fold queries them for every batch.
  'create index links_hooked on links (id) where webhook_url is not null or zapier_hook_url is not null',
];
