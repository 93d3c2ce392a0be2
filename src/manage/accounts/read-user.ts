import { notFound } from '../../rules/errors.ts';
import { findUser, type StoredUser } from '../../storage/accounts/users.ts';
import type { Queries } from '../../storage/schema.ts';
import type { Context } from '../context.ts';

export type { StoredUser } from '../../storage/accounts/users.ts';

export const readUser = ({ database }: Context, userId: number): Promise<StoredUser> =>
  requireUser(database.lookup, userId);

export async function requireUser(queries: Queries, userId: number): Promise<StoredUser> {
  const user = await findUser(queries, userId);
  if (!user) throw notFound('user');
  return user;
}
