import { knownPriority } from '../../auth/passwords.ts';
import { digest } from '../../auth/secrets.ts';
import type { Caller } from '../../rules/access.ts';
import { replacePassword, type StoredUser, renameUser as storeName } from '../../storage/accounts/users.ts';
import { recordOtherChange } from '../../storage/marked-changes.ts';
import type { Context } from '../context.ts';
import { endSignIns } from './end-sign-ins.ts';
import { passwordWrong, requireOwnPassword } from './own-password.ts';
import { requireUser } from './read-user.ts';

/** Null removes the name. */
export const renameUser = (context: Context, { userId }: Caller, name: string | null): Promise<StoredUser> =>
  context.database.write(async (queries) => {
    await storeName(queries, userId, name);
    await recordOtherChange(queries, 'account', userId, context.now());
    return requireUser(queries, userId);
  });

/** Ends every session that used the old password, except `session`, in which it was changed. */
export async function changePassword(
  context: Context,
  caller: Caller,
  change: { readonly current_password: string; readonly new_password: string },
  session: string | null,
): Promise<void> {
  const currentHash = await requireOwnPassword(context, caller, change.current_password, 'current_password');
  const hash = await context.passwords.hash(change.new_password, knownPriority(`user ${caller.userId}`));
  await context.database.write(async (queries) => {
    const isReplaced = await replacePassword(queries, caller.userId, currentHash, hash);
    // Another change came first: this password is no longer the current one.
    if (!isReplaced) throw passwordWrong('current_password');
    await recordOtherChange(queries, 'account', caller.userId, context.now());
    await endSignIns(queries, caller.userId, context.now(), session === null ? null : digest(session));
  });
}
