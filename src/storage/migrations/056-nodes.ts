import type { Migration } from '../migration.ts';

/** The processes that use this store, as they report every few seconds. */
export const nodes: Migration = ({ integer, tableEnd }) => [
  `create table nodes (
    node text not null,
    process text not null,
    host_name text not null,
    version text not null,
    started_at ${integer} not null,
    seen_at ${integer} not null,
    waiting_clicks ${integer} not null,
    waiting_since ${integer},
    waiting_bytes ${integer} not null,
    primary key (node, process)
  ) ${tableEnd}`,
];
