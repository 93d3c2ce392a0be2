import type { Migration } from '../migration.ts';

const columns = [
  ...[
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
  ],
  ...[
    'country',
    'os',
    'browser',
    'language',
    'referrer',
    'utm_source',
    'utm_medium',
    'utm_campaign',
    'utm_term',
  ],
  ...['utm_content', 'stored_reason'],
];
const tallied = columns.slice(columns.indexOf('target'), columns.indexOf('utm_term'));

/**
 * Chunks of hits on PostgreSQL, partitioned by month like the hits. A chunk is one row: each of its columns is stored outside it,
 * and only the needed ones are read. Ids up to `settled` are assigned to no more hits.
 */
export const chunksByMonth: Migration = ({ partitions, integer }) =>
  partitions
    ? [
        `create table hit_chunks (
          id ${integer} not null,
          organization_id ${integer} not null,
          hits ${integer} not null,
          first_id ${integer} not null,
          last_id ${integer} not null,
          first_at ${integer} not null,
          last_at ${integer} not null,
          classes ${integer} not null,
          made_at ${integer} not null,
          ${[...columns.map((name) => `c_${name}`), ...tallied.map((name) => `t_${name}`)]
            .map((name) => `${name} bytea`)
            .join(', ')}
        ) partition by range (first_at)`,
        // Already compressed data would only take longer to read.
        ...[...columns.map((name) => `c_${name}`), ...tallied.map((name) => `t_${name}`)].map(
          (name) => `alter table hit_chunks alter column ${name} set storage external`,
        ),
        'create index hit_chunks_organization on hit_chunks (organization_id, id)',
        `create table hit_chunk_links (
          link_id ${integer} not null,
          chunk_id ${integer} not null,
          first_row ${integer} not null,
          end_row ${integer} not null,
          first_at ${integer} not null
        ) partition by range (first_at)`,
        `alter table hit_ids add column settled ${integer} not null default 0`,
      ]
    : [];
