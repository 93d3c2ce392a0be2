import type { Selectable } from 'kysely';
import { type UtmField, utmFields } from '../rules/click-fields.ts';
import { foldCase } from '../rules/text.ts';
import { deletionFrom } from './rows.ts';
import type { Queries, Schema } from './schema.ts';

export type StoredTemplate = Omit<Selectable<Schema['utm_templates']>, 'name_folded'>;
type TemplateFields = Pick<StoredTemplate, 'name' | UtmField>;

const shown = ['id', 'organization_id', 'name', ...utmFields, 'created_at', 'updated_at'] as const;

/** Undefined if the organization has a template of this name. */
export const insertTemplate = (
  queries: Queries,
  organizationId: number,
  fields: TemplateFields,
  now: number,
): Promise<StoredTemplate | undefined> =>
  queries
    .insertInto('utm_templates')
    .values({
      ...fields,
      organization_id: organizationId,
      name_folded: foldCase(fields.name),
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(['organization_id', 'name_folded']).doNothing())
    .returning(shown)
    .executeTakeFirst();

const ofOrganization = (queries: Queries, organizationId: number) =>
  queries.selectFrom('utm_templates').select(shown).where('organization_id', '=', organizationId);

export const listTemplates = (queries: Queries, organizationId: number): Promise<StoredTemplate[]> =>
  ofOrganization(queries, organizationId).orderBy('name_folded').execute();

export const findTemplate = (queries: Queries, organizationId: number, id: number) =>
  ofOrganization(queries, organizationId).where('id', '=', id).executeTakeFirst();

/** Throws NotUnique if another template of the organization has the name. */
export const updateTemplate = (
  queries: Queries,
  organizationId: number,
  id: number,
  fields: Partial<TemplateFields>,
  now: number,
): Promise<StoredTemplate | undefined> =>
  queries
    .updateTable('utm_templates')
    .set({
      ...fields,
      ...(fields.name !== undefined && { name_folded: foldCase(fields.name) }),
      updated_at: now,
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirst();

export const deleteTemplate = deletionFrom('utm_templates');

/** The destinations of the organization's newest links: read along an index, however many there are. */
export async function newestDestinations(
  queries: Queries,
  organizationId: number,
  limit: number,
): Promise<string[]> {
  const rows = await queries
    .selectFrom('links')
    .select('destination_url')
    .where('organization_id', '=', organizationId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ destination_url }) => destination_url);
}
