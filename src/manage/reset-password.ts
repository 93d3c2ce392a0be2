import { networkLimits } from '../auth/rate-limit.ts';
import { looksLikeReset } from '../auth/reset-tokens.ts';
import { digest } from '../auth/secrets.ts';
import { Refusal } from '../rules/errors.ts';
import { deleteApiKeysOf } from '../storage/api-keys.ts';
import { proveEmail } from '../storage/members.ts';
import { findResetHolder, takeReset } from '../storage/password-resets.ts';
import { findUser, setPassword } from '../storage/users.ts';
import type { Context } from './context.ts';
import { endSignIns } from './end-sign-ins.ts';
import { loginTarget } from './sign-in.ts';

const quarterOfAnHour = 15 * 60 * 1000;

export interface PasswordReset {
  readonly token: string;
  readonly new_password: string;
}

/** By the link that was mailed: whoever has it has shown that the address is theirs. */
export async function resetPassword(
  context: Context,
  { token, new_password }: PasswordReset,
  network: string,
): Promise<void> {
  if (!looksLikeReset(token)) throw uselessReset();
  const userId = await findResetHolder(context.database.lookup, digest(token), context.now());
  if (userId === undefined) {
    // Nobody guesses a token of 256 bits: wrong ones are counted to spare us work, and a right one is always taken.
    await context.limits.reserve(
      networkLimits('reset', network, { narrow: 10, middle: 20, wide: 40 }, quarterOfAnHour),
    );
    throw uselessReset();
  }
  const hash = await context.passwords.hash(new_password);
  const user = await context.database.write(async (queries) => {
    // The user first, as in every change of a password: two at once wait for each other and never cross.
    await setPassword(queries, userId, hash);
    if (!(await takeReset(queries, digest(token), context.now()))) throw uselessReset();
    await endSignIns(queries, userId, context.now());
    const isFirstProof = await proveEmail(queries, userId);
    // Where anybody may sign up under any address, the keys made until now may be somebody else's.
    if (isFirstProof && context.config.registration === 'open') await deleteApiKeysOf(queries, userId);
    return findUser(queries, userId);
  });
  if (user) await context.guesses.noteNetwork(loginTarget(user.email), network);
}

const uselessReset = (): Refusal =>
  new Refusal(
    'RESET_INVALID',
    'This link was used, has expired, or a newer one or another password took its place. Ask for a new link.',
    { field: 'token' },
  );
