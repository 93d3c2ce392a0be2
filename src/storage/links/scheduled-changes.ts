import type { Insertable, Selectable, Updateable } from 'kysely';
import { prepared } from '../prepared.ts';
import { deleteFound, hasRow, idsOf } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';

export type ScheduledRow = Selectable<Schema['scheduled_changes']>;
type NewScheduledRow = Insertable<Schema['scheduled_changes']>;

export const insertScheduled = (queries: Queries, row: NewScheduledRow): Promise<ScheduledRow> =>
  queries.insertInto('scheduled_changes').values(row).returningAll().executeTakeFirstOrThrow();

export const findScheduled = (queries: Queries, organizationId: number, id: number) =>
  queries
    .selectFrom('scheduled_changes')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();

const ofLink = (queries: Queries, organizationId: number, linkId: number) =>
  queries
    .selectFrom('scheduled_changes')
    .where('organization_id', '=', organizationId)
    .where('link_id', '=', linkId);

/** The next one first. */
export const listOpen = (queries: Queries, organizationId: number, linkId: number): Promise<ScheduledRow[]> =>
  ofLink(queries, organizationId, linkId)
    .selectAll()
    .where('done_at', 'is', null)
    .orderBy('at')
    .orderBy('id')
    .execute();

/** Applied and refused changes, latest first. */
export const listDone = (queries: Queries, organizationId: number, linkId: number, limit: number) =>
  ofLink(queries, organizationId, linkId)
    .selectAll()
    .where('done_at', 'is not', null)
    .orderBy('done_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** Open changes that are due, in the order in which they are applied, after `after`. */
export const listDue = (
  queries: Queries,
  now: number,
  after: Pick<ScheduledRow, 'at' | 'id'>,
  limit: number,
): Promise<ScheduledRow[]> => selectDue(queries, now, after.at, after.id, limit);

const selectDue = prepared((queries, now: number, afterAt: number, afterId: number, limit: number) =>
  queries
    .selectFrom('scheduled_changes')
    .selectAll()
    .where('done_at', 'is', null)
    .where('at', '<=', now)
    .where('at', '>=', afterAt)
    .where((row) => row.or([row('at', '>', afterAt), row('id', '>', afterId)]))
    .orderBy('at')
    .orderBy('id')
    .limit(limit)
    .compile(),
);

/** Edits a change that wasn't applied yet; false if it was. */
export const updateScheduled = (
  queries: Queries,
  { id, organization_id }: ScheduledRow,
  changes: Updateable<Schema['scheduled_changes']>,
): Promise<boolean> =>
  hasRow(
    queries
      .updateTable('scheduled_changes')
      .set(changes)
      .where('organization_id', '=', organization_id)
      .where('id', '=', id)
      .where((where) => where.or([where('done_at', 'is', null), where('refusal', 'is not', null)]))
      .returning('id'),
  );

/** Marks an open one as done; false if another node was first, or if it has changed since it was read. */
export const finishScheduled = (
  queries: Queries,
  { id, updated_at }: ScheduledRow,
  now: number,
  refusal: string | null,
): Promise<boolean> =>
  hasRow(
    queries
      .updateTable('scheduled_changes')
      .set({ done_at: now, refusal, untold: refusal === null ? null : now })
      .where('id', '=', id)
      .where('updated_at', '=', updated_at)
      .where('done_at', 'is', null)
      .returning('id'),
  );

/** Deletes a change that wasn't applied; false if there is none. */
export const withdrawScheduled = (queries: Queries, organizationId: number, id: number): Promise<boolean> =>
  hasRow(
    queries
      .deleteFrom('scheduled_changes')
      .where('organization_id', '=', organizationId)
      .where('id', '=', id)
      .where((where) => where.or([where('done_at', 'is', null), where('refusal', 'is not', null)]))
      .returning('id'),
  );

/** Claims refused changes whose authors have not been mailed, each for one node. Other nodes may claim them after `until`. */
export async function claimRefusals(
  queries: Queries,
  { before, until }: { readonly before: number; readonly until: number },
  limit: number,
): Promise<ScheduledRow[]> {
  const rows = await queries
    .selectFrom('scheduled_changes')
    .selectAll()
    .where('untold', '<=', before)
    .orderBy('untold')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  await setUntold(queries, idsOf(rows), until);
  return rows;
}

/** Sets when a node may mail their authors; null if that is done. */
export async function setUntold(
  queries: Queries,
  ids: readonly number[],
  untold: number | null,
): Promise<void> {
  if (ids.length === 0) return;
  // For a change that is open again there is nothing to mail.
  await queries
    .updateTable('scheduled_changes')
    .set({ untold })
    .where('id', 'in', ids)
    .where('untold', 'is not', null)
    .execute();
}

/** Deletes some of those that were done before an instant; returns how many. */
export function deleteOldScheduled(queries: Queries, before: number, limit: number): Promise<number> {
  const old = queries.selectFrom('scheduled_changes').where('done_at', '<=', before);
  return deleteFound(queries, 'scheduled_changes', ['id'], old.orderBy('done_at').limit(limit));
}
