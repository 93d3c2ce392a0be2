import { type Selectable, sql } from 'kysely';
import { prepared } from '../prepared.ts';
import { hasRow } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';
import { nextUrls } from './watched-urls.ts';

type StoredRobots = Selectable<Schema['watched_robots']>;

/** Hosts with a due address that may be sent requests, longest due first. */
export const hostsDue = async (queries: Queries, now: number, limit: number): Promise<string[]> =>
  (await selectDue(queries, now, limit)).map(({ host }) => host);

const selectDue = prepared((queries, now: number, limit: number) =>
  queries
    .selectFrom('watched_hosts')
    .select('host')
    .where('due_at', '<=', now)
    .where('free_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .compile(),
);

/** Claims a host for one node, the only one that may send it requests until `until`; false if another was first. */
export const claimHost = (queries: Queries, host: string, now: number, until: number): Promise<boolean> =>
  hasRow(
    queries
      .updateTable('watched_hosts')
      .set({ free_at: until })
      .where('host', '=', host)
      .where('free_at', '<=', now)
      .returning('host'),
  );

/** Releases a claimed host, and sets when it may be sent requests again and when one of its addresses is due. */
export async function releaseHost(
  queries: Queries,
  host: string,
  { freeAt, answeredAt }: { readonly freeAt: number; readonly answeredAt: number | null },
): Promise<void> {
  const due_at = Math.min(never, ...(await nextUrls(queries, host)).map(({ next_at }) => next_at));
  await queries
    .updateTable('watched_hosts')
    .set({ free_at: freeAt, due_at, ...(answeredAt !== null && { answered_at: answeredAt }) })
    .where('host', '=', host)
    .execute();
}

/** No instant is later. */
const never = Number.MAX_SAFE_INTEGER;

/** Records that one of a host's addresses is due at this instant. The `free_at` of a stored host stays. */
export async function setHostDue(queries: Queries, host: string, at: number): Promise<void> {
  await queries
    .insertInto('watched_hosts')
    .values({ host, due_at: at, free_at: 0, answered_at: null })
    .onConflict((conflict) =>
      conflict.column('host').doUpdateSet({
        due_at: sql<number>`case when watched_hosts.due_at < ${at} then watched_hosts.due_at else ${at} end`,
      }),
    )
    .execute();
}

/** For how long the longest due host has been due. */
export const longestWait = async (queries: Queries, now: number): Promise<number> => {
  const due = queries.selectFrom('watched_hosts').select('due_at').where('due_at', '<=', now);
  const first = await due.orderBy('due_at').limit(1).executeTakeFirst();
  return first ? now - first.due_at : 0;
};

/** When any host other than this one last answered; null if none ever did. */
export async function lastAnswerOfOtherHosts(queries: Queries, host: string): Promise<number | null> {
  const row = await queries
    .selectFrom('watched_hosts')
    .select(({ fn }) => fn.max('answered_at').as('at'))
    .where('host', '<>', host)
    // As in the index.
    .where('answered_at', 'is not', null)
    .executeTakeFirst();
  return row?.at ?? null;
}

export const findRobots = (queries: Queries, origin: string): Promise<StoredRobots | undefined> =>
  queries.selectFrom('watched_robots').selectAll().where('origin', '=', origin).executeTakeFirst();

export async function storeRobots(queries: Queries, robots: StoredRobots): Promise<void> {
  const { rules, read_at } = robots;
  await queries
    .insertInto('watched_robots')
    .values(robots)
    .onConflict((conflict) => conflict.column('origin').doUpdateSet({ rules, read_at }))
    .execute();
}

/** Deletes hosts without an address, and rules that were not read for long. */
export async function deleteUnusedHosts(queries: Queries, now: number, robotsBefore: number): Promise<void> {
  await queries
    .deleteFrom('watched_hosts')
    .where('due_at', '=', never)
    .where('free_at', '<=', now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('watched_urls').select('id').whereRef('watched_urls.host', '=', 'watched_hosts.host'),
        ),
      ),
    )
    .execute();
  await queries.deleteFrom('watched_robots').where('read_at', '<', robotsBefore).execute();
}
