import { resetTokens } from '../../auth/opaque-tokens.ts';
import { knownPriority } from '../../auth/passwords.ts';
import { networkLimits } from '../../auth/rate-limit.ts';
import { digest } from '../../auth/secrets.ts';
import { minuteLength } from '../../rules/durations.ts';
import { Refusal } from '../../rules/errors.ts';
import { deleteApiKeysOf } from '../../storage/accounts/api-keys.ts';
import { proveEmail } from '../../storage/accounts/members.ts';
import { findResetOwner, takeReset } from '../../storage/accounts/password-resets.ts';
import { findUser, setPassword } from '../../storage/accounts/users.ts';
import { recordOtherChange } from '../../storage/marked-changes.ts';
import type { Context } from '../context.ts';
import { endSignIns } from './end-sign-ins.ts';
import { loginTarget } from './sign-in.ts';

const quarterOfAnHour = 15 * minuteLength;

/** By the mailed link: having it proves that the address is the user's. */
export async function resetPassword(
  context: Context,
  { token, new_password }: { readonly token: string; readonly new_password: string },
  network: string,
): Promise<void> {
  if (!resetTokens.matches(token)) throw uselessReset();
  const userId = await findResetOwner(context.database.lookup, digest(token), context.now());
  if (userId === undefined) {
    // A token of 256 bits can't be guessed: the limit on wrong ones only saves work, and a right one always works.
    await context.limits.reserve(
      networkLimits('reset', network, { narrow: 10, middle: 20, wide: 40 }, quarterOfAnHour),
    );
    throw uselessReset();
  }
  const hash = await context.passwords.hash(new_password, knownPriority(`user ${userId}`));
  const user = await context.database.write(async (queries) => {
    // The user first, as in every change of a password: concurrent changes wait for each other and never deadlock.
    await setPassword(queries, userId, hash);
    if (!(await takeReset(queries, digest(token), context.now()))) throw uselessReset();
    await endSignIns(queries, userId, context.now());
    await recordOtherChange(queries, 'account', userId, context.now());
    const isFirstProof = await proveEmail(queries, userId);
    // With open registration, existing keys may have been made by a stranger who used this address.
    if (isFirstProof && context.config.registration === 'open')
      await deleteApiKeysOf(queries, userId, context.now());
    return findUser(queries, userId);
  });
  context.callerChanged(userId);
  if (user) await context.passwordAttempts.rememberNetwork(loginTarget(user.email), network);
}

const uselessReset = (): Refusal =>
  new Refusal(
    'RESET_INVALID',
    'This link was used, has expired, or a newer one or another password took its place. Ask for a new link.',
    { field: 'token' },
  );
