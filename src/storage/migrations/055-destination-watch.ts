import type { Migration } from '../migration.ts';

/** Which links are watched, each destination's state, and when each host may be requested again. */
export const destinationWatch: Migration = ({ id, integer, tableEnd }) => [
  ...['links', 'link_bin'].flatMap((table) => [
    `alter table ${table} add column watch_destination ${integer}`,
    `alter table ${table} add column destination_problems text`,
  ]),
  'create index links_watched on links (id) where watch_destination = 1',
  'create index links_troubled on links (organization_id, id) where destination_problems is not null',
  `alter table organizations add column watch_destinations ${integer} not null default 0`,
  `alter table organizations add column watch_mailed_at ${integer}`,
  `create table watched_urls (
    id ${id},
    url_key text not null unique,
    url text not null,
    hop text not null,
    host text not null,
    hops ${integer} not null,
    moved_to text,
    turn ${integer} not null,
    next_at ${integer} not null,
    problem text,
    detail text,
    since ${integer},
    suspected text,
    suspected_at ${integer},
    untold ${integer}
  ) ${tableEnd}`,
  'create index watched_urls_due on watched_urls (host, turn, next_at)',
  'create index watched_urls_problem on watched_urls (problem)',
  'create index watched_urls_untold on watched_urls (untold) where untold is not null',
  `create table watched_hosts (
    host text not null primary key,
    due_at ${integer} not null,
    free_at ${integer} not null,
    answered_at ${integer}
  ) ${tableEnd}`,
  'create index watched_hosts_due on watched_hosts (due_at)',
  'create index watched_hosts_answered on watched_hosts (answered_at) where answered_at is not null',
  `create table watched_robots (
    origin text not null primary key,
    rules text,
    read_at ${integer} not null
  ) ${tableEnd}`,
  `create table watched_links (
    link_id ${integer} not null,
    url_id ${integer} not null,
    organization_id ${integer} not null,
    unmailed ${integer},
    primary key (link_id, url_id)
  ) ${tableEnd}`,
  'create index watched_links_url on watched_links (url_id, link_id)',
  'create index watched_links_organization on watched_links (organization_id)',
  'create index watched_links_unmailed on watched_links (organization_id, unmailed) where unmailed is not null',
  `create table watch_sweeps (claimed_until ${integer} not null, finished_at ${integer} not null) ${tableEnd}`,
  'insert into watch_sweeps (claimed_until, finished_at) values (0, 0)',
];
