import type { Migration } from '../migration.ts';

/** Links are found by their destination. */
export const destinationKeys: Migration = ({ integer, destinationKey }) => [
  ...['links', 'link_bin'].flatMap((table) => [
    `alter table ${table} add column destination_key ${integer}`,
    `update ${table} set destination_key = ${destinationKey} where destination_url <> ''`,
  ]),
  'create index links_destination on links (organization_id, destination_key, id)',
];
