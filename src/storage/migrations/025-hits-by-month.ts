import type { Migration } from '../migration.ts';

const at2100 = Date.UTC(2100, 0);

/** Existing rows become the partition for everything before next month; clocks that were ahead may have left more. */
const keepRows = `do $$
declare
  border bigint := extract(epoch from date_trunc('month', now() at time zone 'UTC') + interval '1 month') * 1000;
  month timestamp;
begin
  if not exists (select from hits_before) then
    drop table hits_before;
    return;
  end if;
  create temporary table later_hits on commit drop as select * from hits_before where at >= border;
  if exists (select from later_hits) then
    delete from hits_before where at >= border;
  end if;
  execute format('alter table hits_before add constraint hits_before_at check (at < %s)', border);
  execute format('alter table hits attach partition hits_before for values from (minvalue) to (%s)', border);
  for month in
    select distinct date_trunc('month', to_timestamp(at / 1000) at time zone 'UTC') from later_hits where at < ${at2100}
  loop
    execute format('create table hits_%s partition of hits (primary key (id)) for values from (%s) to (%s)',
      to_char(month, 'YYYY_MM'), (extract(epoch from month) * 1000)::bigint,
      (extract(epoch from month + interval '1 month') * 1000)::bigint);
  end loop;
  if exists (select from later_hits where at >= ${at2100}) then
    create table hits_far_future partition of hits (primary key (id)) for values from (${at2100}) to (maxvalue);
  end if;
  insert into hits select * from later_hits;
end $$`;

/**
 * On PostgreSQL the ledger gets packs, and a partition for each month (\`ledger/stores/partitions.ts\`): old hits go with their
 * partition. Existing rows stay where they are; they are read once, to validate that they are in the right partition.
 */
export const hitsByMonth: Migration = ({ partitions, integer }) =>
  partitions
    ? [
        // Several nodes draw their ids from here, each as many consecutive ones as it has hits.
        `create table hit_ids (newest ${integer} not null) with (fillfactor = 10)`,
        `insert into hit_ids (newest) select greatest(
          nextval(pg_get_serial_sequence('hits', 'id')) - 1, (select coalesce(max(id), 0) from hits))`,

        'alter table hits alter column id drop identity',
        'alter table hits rename to hits_before',
        'alter index hits_pkey rename to hits_before_pkey',
        'alter index hits_link rename to hits_before_link',
        'alter index hits_organization rename to hits_before_organization',
        'create table hits (like hits_before) partition by range (at)',
        'create index hits_link on hits (link_id, id)',
        'create index hits_organization on hits (organization_id, id)',
        keepRows,

        `create table hit_packs (
          id ${integer} not null,
          organization_id ${integer} not null,
          hits ${integer} not null,
          first_at ${integer} not null,
          last_at ${integer} not null,
          cells bytea not null
        ) partition by range (first_at)`,
        'create index hit_packs_organization on hit_packs (organization_id, id)',

        // The same as its pack's: both are in partitions of the same month.
        `create table hit_pack_links (
          link_id ${integer} not null,
          pack_id ${integer} not null,
          first_at ${integer} not null
        ) partition by range (first_at)`,

        // Because its condition names "loose", no update of a row could stay on its page. The fold finds such rows as it writes
        // them.
        'drop index link_hours_loose',
        'alter table link_hours set (fillfactor = 80)',
        'alter table link_clicks set (fillfactor = 80)',
        'alter table organization_rollups set (fillfactor = 80)',
      ]
    : [];
