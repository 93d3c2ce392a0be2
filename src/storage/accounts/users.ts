import type { Insertable, Selectable } from 'kysely';
import { storedEmails } from '../../rules/account.ts';
import { recordCallerChange } from '../marked-changes.ts';
import { preparedHasRow } from '../prepared.ts';
import { hasRow, insertRow } from '../rows.ts';
import type { Queries, Schema } from '../schema.ts';

export type StoredUser = Omit<Selectable<Schema['users']>, 'password_hash' | 'email_proven' | 'joined_at'> & {
  readonly organization_name: string;
};

const withOrganization = (queries: Queries) =>
  queries
    .selectFrom('users')
    .innerJoin('organizations', 'organizations.id', 'users.organization_id')
    .select([
      'users.id',
      'users.created_at',
      'users.email',
      'users.name',
      'users.organization_id',
      'organizations.name as organization_name',
      'users.role',
    ]);

export const findUser = (queries: Queries, id: number): Promise<StoredUser | undefined> =>
  withOrganization(queries).where('users.id', '=', id).executeTakeFirst();

export const findUserByEmail = (queries: Queries, email: string): Promise<StoredUser | undefined> =>
  inAnyForm(email, (form) => withOrganization(queries).where('users.email', '=', form).executeTakeFirst());

export const findPasswordHash = (queries: Queries, email: string) =>
  inAnyForm(email, (form) =>
    queries.selectFrom('users').select(['id', 'password_hash']).where('email', '=', form).executeTakeFirst(),
  );

async function inAnyForm<T>(
  email: string,
  find: (email: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const form of storedEmails(email)) {
    const found = await find(form);
    if (found) return found;
  }
  return undefined;
}

/** Whether this is still the password; locks it until the transaction ends. */
export const lockPassword = (queries: Queries, id: number, hash: string): Promise<boolean> =>
  replacePassword(queries, id, hash, hash);

/** False if the expected password isn't the current one any more. */
export const replacePassword = (queries: Queries, id: number, expected: string, hash: string) =>
  hasRow(
    queries
      .updateTable('users')
      .set({ password_hash: hash })
      .where('id', '=', id)
      .where('password_hash', '=', expected)
      .returning('id'),
  );

/** Sets it, whatever it was before. */
export async function setPassword(queries: Queries, id: number, hash: string): Promise<void> {
  await queries.updateTable('users').set({ password_hash: hash }).where('id', '=', id).execute();
}

export async function renameUser(queries: Queries, id: number, name: string | null): Promise<void> {
  await queries.updateTable('users').set({ name }).where('id', '=', id).execute();
}

/** With their keys, sessions, tokens and password resets. */
export async function deleteUser(queries: Queries, id: number, now: number): Promise<void> {
  await queries.deleteFrom('users').where('id', '=', id).execute();
  await recordCallerChange(queries, id, now);
}

export const hasUsers = preparedHasRow((queries) =>
  queries.selectFrom('users').select('id').limit(1).compile(),
);

export const hasOtherUsers = (queries: Queries, id: number): Promise<boolean> =>
  hasRow(queries.selectFrom('users').select('id').where('id', '!=', id).limit(1));

/** Null if the address has an account already. */
export async function insertUser(
  queries: Queries,
  user: Insertable<Schema['users']>,
): Promise<number | null> {
  const row = await queries
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

export const insertOrganization = (queries: Queries, name: string, now: number): Promise<number> =>
  insertRow(queries, 'organizations', { name, created_at: now });
