import { notFound } from '../rules/errors.ts';
import { findUser, type StoredUser } from '../storage/users.ts';
import type { Context } from './context.ts';

export type { StoredUser } from '../storage/users.ts';

export async function readUser(context: Context, userId: number): Promise<StoredUser> {
  const user = await findUser(context.database.lookup, userId);
  if (!user) throw notFound('user');
  return user;
}
