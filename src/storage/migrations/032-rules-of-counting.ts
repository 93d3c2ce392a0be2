import type { Migration } from '../migration.ts';

/** When a store with clicks began to count repeats and visitors by new rules: earlier counts stay as they are. */
export const rulesOfCounting: Migration = ({ now }) => [
  `insert into settings (key, value)
   select 'counting_rules_changed_at', cast(${now} as text)
   where exists (select 1 from link_hours) or exists (select 1 from organization_rollups)
   on conflict do nothing`,
];
