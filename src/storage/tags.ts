import type { Selectable } from 'kysely';
import { foldCase } from '../rules/text.ts';
import { numbersIn } from './json-rows.ts';
import { deletionFrom, hasMoreThan } from './rows.ts';
import type { Queries, Schema } from './schema.ts';

export type StoredTag = Omit<Selectable<Schema['tags']>, 'name_folded'>;

const shown = ['id', 'created_at', 'organization_id', 'name'] as const;

/** Undefined if the organization has a tag of this name. */
export const insertTag = (queries: Queries, organizationId: number, name: string, now: number) =>
  queries
    .insertInto('tags')
    .values({ organization_id: organizationId, name, name_folded: foldCase(name), created_at: now })
    .onConflict((conflict) => conflict.columns(['organization_id', 'name_folded']).doNothing())
    .returning(shown)
    .executeTakeFirst();

const ofOrganization = (queries: Queries, organizationId: number) =>
  queries.selectFrom('tags').select(shown).where('organization_id', '=', organizationId).orderBy('id');

export const hasMoreTags = (queries: Queries, organizationId: number, max: number): Promise<boolean> =>
  hasMoreThan(queries.selectFrom('tags').where('organization_id', '=', organizationId), max);

export const listTags = (queries: Queries, organizationId: number): Promise<StoredTag[]> =>
  ofOrganization(queries, organizationId).execute();

export const findTag = (queries: Queries, organizationId: number, id: number) =>
  ofOrganization(queries, organizationId).where('id', '=', id).executeTakeFirst();

/** Throws NotUnique if another tag of the organization has the name. */
export const renameTag = (queries: Queries, organizationId: number, id: number, name: string) =>
  queries
    .updateTable('tags')
    .set({ name, name_folded: foldCase(name) })
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirst();

export const deleteTag = deletionFrom('tags');

/** Those of these tags that belong to the organization. */
export async function ownTags(
  queries: Queries,
  organizationId: number,
  ids: readonly number[],
): Promise<readonly StoredTag[]> {
  if (ids.length === 0) return [];
  return ofOrganization(queries, organizationId).where('id', 'in', ids).execute();
}

/** These tags, of any organization. */
export async function tagsById(
  queries: Queries,
  ids: readonly number[],
): Promise<ReadonlyMap<number, StoredTag>> {
  if (ids.length === 0) return new Map();
  const tags = await queries
    .selectFrom('tags')
    .select(shown)
    .where('id', 'in', numbersIn(queries, ids))
    .execute();
  return new Map(tags.map((tag) => [tag.id, tag]));
}
