import type { Migration } from '../migration.ts';

export const clicks: Migration = ({ id, integer, tableEnd, keyedTableEnd }) => [
  // Texts that repeat, by number: a ledger of texts would be ten times as large.
  `create table words (id ${id}, word text not null) ${tableEnd}`,
  'create unique index words_word on words (word)',

  `create table hits (
    id ${id},
    link_id ${integer} not null,
    organization_id ${integer} not null,
    at ${integer} not null,
    outcome ${integer} not null,
    target ${integer} not null,
    class ${integer} not null,
    reason ${integer} not null,
    device ${integer} not null,
    source ${integer} not null,
    country ${integer} not null,
    os ${integer} not null,
    browser ${integer} not null,
    language ${integer} not null,
    referrer ${integer} not null,
    utm_source ${integer} not null,
    utm_medium ${integer} not null,
    utm_campaign ${integer} not null,
    utm_term ${integer} not null,
    utm_content ${integer} not null,
    visitor ${integer}
  ) ${tableEnd}`,
  'create index hits_link on hits (link_id, id)',
  'create index hits_organization on hits (organization_id, id)',

  `create table link_rollups (
    link_id ${integer} not null,
    dimension ${integer} not null,
    hour ${integer} not null,
    class ${integer} not null,
    value ${integer} not null,
    hits ${integer} not null,
    primary key (link_id, dimension, hour, class, value)
  ) ${keyedTableEnd}`,

  `create table organization_rollups (
    organization_id ${integer} not null,
    dimension ${integer} not null,
    hour ${integer} not null,
    class ${integer} not null,
    value ${integer} not null,
    hits ${integer} not null,
    primary key (organization_id, dimension, hour, class, value)
  ) ${keyedTableEnd}`,

  `create table link_clicks (
    link_id ${integer} primary key,
    clicks ${integer} not null,
    last_clicked_at ${integer} not null
  ) ${tableEnd}`,

  // The visitors of a day, by day and owner (a link, or an organization as a negative number), until the day's salt is destroyed.
  `create table daily_visitors (
    day ${integer} not null,
    owner ${integer} not null,
    visitor ${integer} not null,
    primary key (day, owner, visitor)
  ) ${keyedTableEnd}`,

  `create table journal_watermarks (
    node text primary key,
    segment ${integer} not null,
    byte_offset ${integer} not null
  ) ${tableEnd}`,

  `create table daily_salts (day ${integer} primary key, salt text not null) ${tableEnd}`,
];
