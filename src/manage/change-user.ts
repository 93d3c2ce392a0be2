import type { Limit } from '../auth/rate-limit.ts';
import { digest } from '../auth/secrets.ts';
import type { Caller } from '../rules/access.ts';
import { Refusal } from '../rules/errors.ts';
import { recordOtherChange } from '../storage/other-changes.ts';
import {
  findPasswordHash,
  replacePassword,
  type StoredUser,
  renameUser as storeName,
} from '../storage/users.ts';
import type { Context } from './context.ts';
import { endSignIns } from './end-sign-ins.ts';
import { readUser, requireUser } from './read-user.ts';

/** Null removes the name. */
export const renameUser = (context: Context, { userId }: Caller, name: string | null): Promise<StoredUser> =>
  context.database.write(async (queries) => {
    await storeName(queries, userId, name);
    await recordOtherChange(queries, 'account', userId, context.now());
    return requireUser(queries, userId);
  });

const quarterOfAnHour = 15 * 60 * 1000;

/** Guesses at the password of the signed-in user. */
export const ownPasswordLimit = (userId: number): Limit => ({
  key: `password change|${userId}`,
  max: 10,
  window: quarterOfAnHour,
});

interface PasswordChange {
  readonly current_password: string;
  readonly new_password: string;
}

/** Ends every session that used the old password, except `session`, in which it was changed. */
export async function changePassword(
  context: Context,
  caller: Caller,
  change: PasswordChange,
  session: string | null,
): Promise<void> {
  const { email } = await readUser(context, caller.userId);
  // A signed-in user has a separate limit: guesses at the sign-in form don't use it up.
  const withdraw = await context.limits.reserve([ownPasswordLimit(caller.userId)]);
  const current = await findPasswordHash(context.database.lookup, email);
  if (!current || !(await context.passwords.verify(change.current_password, current.password_hash)))
    throw passwordWrong();
  await withdraw();
  const hash = await context.passwords.hash(change.new_password);
  await context.database.write(async (queries) => {
    const isReplaced = await replacePassword(queries, caller.userId, current.password_hash, hash);
    // Another change came first: this password is no longer the current one.
    if (!isReplaced) throw passwordWrong();
    await recordOtherChange(queries, 'account', caller.userId, context.now());
    await endSignIns(queries, caller.userId, context.now(), session === null ? null : digest(session));
  });
}

const passwordWrong = (): Refusal =>
  new Refusal('PASSWORD_WRONG', 'This is not your current password. Check it and try again.', {
    field: 'current_password',
  });
