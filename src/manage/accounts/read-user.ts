import { existing } from '../../rules/errors.ts';
import { findUser, type StoredUser } from '../../storage/accounts/users.ts';
import type { Queries } from '../../storage/schema.ts';
import type { Context } from '../context.ts';

export type { StoredUser } from '../../storage/accounts/users.ts';

export const readUser = ({ database }: Context, userId: number): Promise<StoredUser> =>
  requireUser(database.lookup, userId);

export const requireUser = (queries: Queries, userId: number): Promise<StoredUser> =>
  existing(findUser(queries, userId), 'user');
