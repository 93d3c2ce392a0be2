import type { Migration } from '../migration.ts';

/** Since when the roll-ups of a store with clicks count `utm_term` and `utm_content`. Earlier individual hits have them too. */
export const termsCounted: Migration = ({ now }) => [
  `insert into settings (key, value)
   select 'utm_terms_counted_since', cast(${now} as text)
   where exists (select 1 from link_hours) or exists (select 1 from organization_rollups)
   on conflict do nothing`,
];
