import type { Migration } from '../migration.ts';

/** What people have erased or moved to another class, and its progress. */
export const clickCorrections: Migration = ({ id, integer, tableEnd }) => [
  `create table click_corrections (
    id ${id},
    created_at ${integer} not null,
    organization_id ${integer} not null,
    link_id ${integer},
    user_id ${integer} not null,
    from_at ${integer},
    to_at ${integer} not null,
    from_class ${integer},
    to_class ${integer},
    way_back_of ${integer},
    hits ${integer} not null,
    not_kept ${integer} not null,
    phase ${integer} not null,
    place ${integer} not null,
    seen_id ${integer} not null,
    due_at ${integer},
    finished_at ${integer}
  ) ${tableEnd}`,
  'create index click_corrections_organization on click_corrections (organization_id, id)',
  'create index click_corrections_due on click_corrections (due_at) where due_at is not null',
];
