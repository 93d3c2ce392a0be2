import { type Insertable, type Selectable, sql } from 'kysely';
import { preparedHasRow } from './prepared.ts';
import { hasRow } from './rows.ts';
import type { Queries, Schema } from './schema.ts';

export type StoredCorrection = Selectable<Schema['click_corrections']>;
export type NewCorrection = Omit<
  Insertable<Schema['click_corrections']>,
  'id' | 'hits' | 'not_kept' | 'phase' | 'place' | 'seen_id' | 'finished_at'
>;

/** The organization's corrections whose times overlap with those of this one. */
const overlapping = (queries: Queries, { organization_id, from_at, to_at }: NewCorrection) =>
  queries
    .selectFrom('click_corrections')
    .select('click_corrections.id')
    .where('organization_id', '=', organization_id)
    .where('to_at', '>', from_at ?? Number.MIN_SAFE_INTEGER)
    .where((row) => row.or([row('from_at', 'is', null), row('from_at', '<', to_at)]));

/** Whether an unfinished correction overlaps with this one. */
const hasOverlap = (queries: Queries, correction: NewCorrection): Promise<boolean> => {
  const { link_id = null } = correction;
  const running = overlapping(queries, correction).where('due_at', 'is not', null);
  return hasRow(
    link_id === null
      ? running
      : running.where((row) => row.or([row('link_id', 'is', null), row('link_id', '=', link_id)])),
  );
};

/** Null if another correction overlaps with this one. */
export async function insertCorrection(
  queries: Queries,
  row: NewCorrection,
): Promise<StoredCorrection | null> {
  // Serialised per organization: the check for overlaps and the insertion belong together.
  const organization = queries.selectFrom('organizations').select('id').where('id', '=', row.organization_id);
  await organization.forUpdate().execute();
  if (await hasOverlap(queries, row)) return null;
  return queries
    .insertInto('click_corrections')
    .values({ ...row, hits: 0, not_kept: 0, phase: 0, place: 0, seen_id: 0, finished_at: null })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Whether hits may have been reclassified into the class from which this correction moved them: by an earlier one of the same hits
 * that was not taken back before.
 */
export const hasEarlierMove = (queries: Queries, correction: StoredCorrection): Promise<boolean> => {
  const { id, link_id, from_class } = correction;
  return hasRow(
    overlapping(queries, correction)
      .where('link_id', '=', link_id)
      .where('click_corrections.id', '<', id)
      .where('to_class', '=', from_class)
      .where('way_back_of', 'is', null)
      .where('hits', '>', 0)
      .where(sql<boolean>`not exists (
        select 1 from click_corrections as way_back
        where way_back.way_back_of = click_corrections.id and way_back.id < ${id}
      )`)
      .limit(1),
  );
};

/**
 * Corrections of one organization run one after the other: they may have hits in the same packs, and a pack that one of them has
 * found may be split by another.
 */
export const isFirstInLine = async (
  queries: Queries,
  { id, organization_id }: Pick<StoredCorrection, 'id' | 'organization_id'>,
): Promise<boolean> =>
  !(await hasRow(
    queries
      .selectFrom('click_corrections')
      .select('id')
      .where('organization_id', '=', organization_id)
      .where('due_at', 'is not', null)
      .where('id', '<', id)
      .limit(1),
  ));

/** Due corrections that are the first in their organization's queue. */
const dueAt = (queries: Queries, now: number) =>
  queries
    .selectFrom('click_corrections')
    .select('id')
    .where('due_at', 'is not', null)
    .where('due_at', '<=', now)
    .where(sql<boolean>`not exists (
      select 1 from click_corrections as earlier
      where earlier.due_at is not null and earlier.organization_id = click_corrections.organization_id
        and earlier.id < click_corrections.id
    )`)
    .orderBy('due_at')
    .limit(1);

/** Takes the correction that has waited longest. No other node gets the same before `until`. */
export async function claimCorrection(
  queries: Queries,
  now: number,
  until: number,
): Promise<StoredCorrection | undefined> {
  const oldest = await dueAt(queries, now).forUpdate().skipLocked().executeTakeFirst();
  if (!oldest) return undefined;
  return queries
    .updateTable('click_corrections')
    .set({ due_at: until })
    .where('id', '=', oldest.id)
    .returningAll()
    .executeTakeFirst();
}

export const isCorrectionDue = preparedHasRow((queries, now: number) => dueAt(queries, now).compile());

/** Advances a correction from a position; undefined if it is no longer at it: then the caller may change nothing. */
export const moveCorrection = (
  queries: Queries,
  { id, phase, place }: Pick<StoredCorrection, 'id' | 'phase' | 'place'>,
  changes: Partial<StoredCorrection>,
): Promise<StoredCorrection | undefined> =>
  queries
    .updateTable('click_corrections')
    .set(changes)
    .where('id', '=', id)
    .where('phase', '=', phase)
    .where('place', '=', place)
    .where('due_at', 'is not', null)
    .returningAll()
    .executeTakeFirst();

export const setCorrectionDue = async (queries: Queries, id: number, at: number): Promise<void> => {
  await queries
    .updateTable('click_corrections')
    .set({ due_at: at })
    .where('id', '=', id)
    .where('due_at', 'is not', null)
    .execute();
};

interface CorrectionOwner {
  readonly organizationId: number;
  /** Null: all links of the organization, including corrections of single links. */
  readonly linkId: number | null;
}

/** With the name of the member who created it, as long as they are a member. */
export type ListedCorrection = StoredCorrection & {
  readonly name: string | null;
  readonly email: string | null;
};

const listed = (queries: Queries, { organizationId, linkId }: CorrectionOwner) => {
  const all = queries
    .selectFrom('click_corrections')
    .leftJoin('users', (join) =>
      join
        .onRef('users.id', '=', 'click_corrections.user_id')
        .onRef('users.organization_id', '=', 'click_corrections.organization_id'),
    )
    .selectAll('click_corrections')
    .select(['users.name', 'users.email'])
    .where('click_corrections.organization_id', '=', organizationId);
  return linkId === null
    ? all
    : all.where((row) =>
        row.or([row('click_corrections.link_id', '=', linkId), row('click_corrections.link_id', 'is', null)]),
      );
};

/** Newest first. Those of a link include the ones of the whole organization. */
export const listCorrections = (
  queries: Queries,
  owner: CorrectionOwner,
  {
    before = Number.MAX_SAFE_INTEGER,
    limit,
  }: { readonly before?: number | undefined; readonly limit: number },
): Promise<ListedCorrection[]> =>
  listed(queries, owner)
    .where('click_corrections.id', '<', before)
    .orderBy('click_corrections.id', 'desc')
    .limit(limit)
    .execute();

export const findCorrection = (queries: Queries, owner: CorrectionOwner, id: number) =>
  listed(queries, owner).where('click_corrections.id', '=', id).executeTakeFirst();
