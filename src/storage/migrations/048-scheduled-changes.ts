import type { Migration } from '../migration.ts';

/** Changes of links scheduled for an instant, and their results. */
export const scheduledChanges: Migration = ({ id, integer, tableEnd }) => [
  `create table scheduled_changes (
    id ${id},
    link_id ${integer} not null,
    organization_id ${integer} not null,
    at ${integer} not null,
    changes text not null,
    is_confirmed ${integer} not null,
    created_at ${integer} not null,
    updated_at ${integer} not null,
    user_id ${integer} not null,
    key_id ${integer},
    via text not null,
    done_at ${integer},
    refusal text
  ) ${tableEnd}`,
  'create index scheduled_changes_link on scheduled_changes (link_id, id)',
  'create index scheduled_changes_due on scheduled_changes (at, id) where done_at is null',
  'create index scheduled_changes_done on scheduled_changes (done_at) where done_at is not null',
  `alter table link_history add column scheduled ${integer}`,
  'alter table link_history add column refusal text',
];
