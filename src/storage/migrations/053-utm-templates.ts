import type { Migration } from '../migration.ts';

/** UTM parameters that an organization uses together. */
export const utmTemplates: Migration = ({ id, integer, tableEnd }) => [
  `create table utm_templates (
    id ${id},
    organization_id ${integer} not null,
    name text not null,
    name_folded text not null,
    utm_source text,
    utm_medium text,
    utm_campaign text,
    utm_term text,
    utm_content text,
    created_at ${integer} not null,
    updated_at ${integer} not null
  ) ${tableEnd}`,
  'create unique index utm_templates_name on utm_templates (organization_id, name_folded)',
];
