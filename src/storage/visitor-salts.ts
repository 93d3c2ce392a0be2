import type { Selectable } from 'kysely';
import type { Queries, Schema } from './schema.ts';

type StoredSaltRequest = Selectable<Schema['visitor_salt_requests']>;

export const openSaltRequests = (queries: Queries, limit: number): Promise<StoredSaltRequest[]> =>
  queries
    .selectFrom('visitor_salt_requests')
    .selectAll()
    .where('answer', 'is', null)
    .orderBy('public_key')
    .limit(limit)
    .execute();

export async function saltMark(queries: Queries, day: number): Promise<string | null> {
  const row = await queries
    .selectFrom('visitor_salt_marks')
    .select('mark')
    .where('day', '=', day)
    .executeTakeFirst();
  return row?.mark ?? null;
}

/** Of several nodes that answer, the first one counts. */
export async function answerSaltRequest(queries: Queries, publicKey: string, answer: string): Promise<void> {
  await queries
    .updateTable('visitor_salt_requests')
    .set({ answer })
    .where('public_key', '=', publicKey)
    .where('answer', 'is', null)
    .execute();
}

export async function deleteSaltRequest(queries: Queries, publicKey: string): Promise<void> {
  await queries.deleteFrom('visitor_salt_requests').where('public_key', '=', publicKey).execute();
}
