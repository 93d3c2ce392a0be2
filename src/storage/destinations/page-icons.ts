import { sql } from 'kysely';
import { hasRow } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';

export type StoredIcon = Readonly<Pick<Schema['page_icons'], 'type' | 'content'>>;

export const hasIcon = (queries: Queries, key: string, since: number): Promise<boolean> =>
  hasRow(
    queries.selectFrom('page_icons').select('key').where('key', '=', key).where('fetched_at', '>=', since),
  );

export const findIcon = (queries: Queries, key: string): Promise<StoredIcon | undefined> =>
  queries.selectFrom('page_icons').select(['type', 'content']).where('key', '=', key).executeTakeFirst();

export async function storeIcon(
  queries: Queries,
  key: string,
  { type, content }: StoredIcon,
  now: number,
): Promise<void> {
  const icon = { type, content, fetched_at: now };
  await queries
    .insertInto('page_icons')
    .values({ key, ...icon })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(icon))
    .execute();
}

/** Keeps only the newest icons, `kept` of them. */
export async function deleteOldestIcons(queries: Queries, kept: number): Promise<void> {
  await sql`delete from page_icons where fetched_at < (
    select fetched_at from page_icons order by fetched_at desc limit 1 offset ${kept}
  )`.execute(queries);
}
