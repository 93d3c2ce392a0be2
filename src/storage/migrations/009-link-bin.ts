import type { Migration } from '../migration.ts';

export const linkBin: Migration = ({ integer, tableEnd, keyedTableEnd, textOrder, searchKeys }) => [
  // Deleted links, complete, as long as they can be restored. They are in a table of their own, with their suffix, so that no
  // query about links has to exclude them.
  `create table link_bin (
    id ${integer} primary key,
    created_at ${integer} not null,
    updated_at ${integer} not null,
    organization_id ${integer} not null references organizations (id),
    domain_id ${integer} not null,
    suffix text not null,
    destination_url text not null,
    android_url text,
    ios_url text,
    og_title text,
    og_description text,
    og_image text,
    expires_at ${integer},
    qr_foreground text not null,
    qr_background text not null,
    qr_png ${integer} not null,
    password_hash text,
    bot_protection ${integer} not null,
    captcha ${integer} not null,
    name text,
    webhook_url text,
    webhook_auth_key text,
    zapier_hook_url text,
    search_text text not null,
    webhook_events text not null,
    qr_marker ${integer} not null,
    expiry_event_at ${integer},
    zapier_hook_id ${integer} not null,
    deleted_at ${integer} not null
  ) ${tableEnd}`,
  'create unique index link_bin_suffix on link_bin (domain_id, suffix)',
  'create index link_bin_age on link_bin (deleted_at)',

  `create table link_bin_tags (
    link_id ${integer} not null references link_bin (id) on delete cascade,
    tag_id ${integer} not null references tags (id) on delete cascade,
    primary key (link_id, tag_id)
  ) ${keyedTableEnd}`,
  'create index link_bin_tags_tag on link_bin_tags (tag_id)',

  // How many links have a tag, spread over a few rows like link_counts.
  `create table tag_counts (
    tag_id ${integer} not null references tags (id) on delete cascade,
    shard ${integer} not null,
    links ${integer} not null,
    primary key (tag_id, shard)
  ) ${keyedTableEnd}`,
  'insert into tag_counts (tag_id, shard, links) select tag_id, 0, count(*) from link_tags group by tag_id',

  // The same for links, by domain too, replacing the count by organization alone.
  'drop table link_counts',
  `create table link_counts (
    organization_id ${integer} not null,
    domain_id ${integer} not null,
    shard ${integer} not null,
    links ${integer} not null,
    primary key (organization_id, domain_id, shard)
  ) ${keyedTableEnd}`,
  `insert into link_counts (organization_id, domain_id, shard, links)
     select organization_id, domain_id, 0, count(*) from links group by organization_id, domain_id`,

  // Every order and filter of the list has an index that gives its pages without sorting.
  'create index links_domain on links (organization_id, domain_id, id)',
  'create index links_updated on links (organization_id, updated_at, id)',
  `create index links_name_key on links (organization_id, (${searchKeys.name}) ${textOrder}, id) where name is not null`,
  `create index links_suffix_key on links (organization_id, (${searchKeys.suffix}) ${textOrder}, id)`,
  `create index links_destination_key on links (organization_id, (${searchKeys.destination}) ${textOrder})`,

  // How many links an organization has in each block of ids, so that a page far down is found without counting up to it. Counted
  // when a page that far down is first read; see storage/links/link-blocks.ts.
  `create table link_blocks (
    organization_id ${integer} not null,
    block ${integer} not null,
    links ${integer} not null,
    primary key (organization_id, block)
  ) ${keyedTableEnd}`,
  `create table link_block_marks (organization_id ${integer} primary key, counted_to ${integer} not null) ${tableEnd}`,
];
