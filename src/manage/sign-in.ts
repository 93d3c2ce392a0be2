import { guessLimits } from '../auth/rate-limit.ts';
import type { TokenPair } from '../auth/tokens.ts';
import { normaliseEmail } from '../rules/account.ts';
import { Refusal } from '../rules/errors.ts';
import { findPasswordHash } from '../storage/users.ts';
import type { Context } from './context.ts';

/** Guesses are counted before they are looked at; a right one is taken back from the count. */
export async function signIn(
  context: Context,
  email: string,
  password: string,
  network: string,
): Promise<TokenPair> {
  const address = normaliseEmail(email);
  const forgive = await context.limits.reserve(guessLimits(`login|${address}`, network));
  const user = await findPasswordHash(context.database.read, address);
  const right = user
    ? await context.passwords.verify(password, user.password_hash)
    : await context.passwords.verifyNothing(password);
  if (!user || !right)
    throw new Refusal('LOGIN_WRONG', 'Email or password is wrong. Check both and try again.');
  await forgive();
  return context.tokens.start(user.id);
}
