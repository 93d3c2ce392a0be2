import type { Migration } from '../migration.ts';

/** The organization that runs the instance is that of its first account (manage/instance.ts). */
export const instanceOrganization: Migration = () => [
  `insert into settings (key, value)
     select 'instance_organization', cast(min(id) as text) from organizations having min(id) is not null`,
];
