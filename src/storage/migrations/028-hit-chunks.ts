import type { Migration } from '../migration.ts';

/** Older hits column by column, so that a query reads only the columns that it needs. */
export const hitChunks: Migration = ({ chunksReplaceRows, integer, tableEnd, keyedTableEnd }) =>
  chunksReplaceRows
    ? [
        `create table hit_chunks (
          id ${integer} primary key,
          organization_id ${integer} not null,
          hits ${integer} not null,
          first_id ${integer} not null,
          last_id ${integer} not null,
          first_at ${integer} not null,
          last_at ${integer} not null,
          classes ${integer} not null,
          made_at ${integer} not null
        ) ${tableEnd}`,
        'create index hit_chunks_organization on hit_chunks (organization_id, id)',
        `create table hit_chunk_columns (key ${integer} primary key, cells blob not null) ${tableEnd}`,
        `create table hit_chunk_links (
          link_id ${integer} not null,
          chunk_id ${integer} not null,
          first_row ${integer} not null,
          end_row ${integer} not null,
          primary key (link_id, chunk_id)
        ) ${keyedTableEnd}`,
      ]
    : [];
