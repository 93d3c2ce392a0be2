import { hasUsers } from '../storage/users.ts';
import type { Context } from './context.ts';

/** Whether there is no account yet. */
export const needsFirstAccount = async ({ database }: Context): Promise<boolean> =>
  !(await hasUsers(database.lookup));
