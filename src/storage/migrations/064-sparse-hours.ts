import type { Migration } from '../migration.ts';

const sparse = ['page', 'preview', 'bot', 'prefetch', 'head', 'repeat', 'flood', 'loose'];

/** On PostgreSQL an hour of a link has null for classes without hits: a third of the row. Existing rows keep their zeros. */
export const sparseHours: Migration = ({ partitions }) =>
  partitions
    ? [`alter table link_hours ${sparse.map((name) => `alter column ${name} drop not null`).join(', ')}`]
    : [];
