import { guessLimits } from '../auth/rate-limit.ts';
import { digest } from '../auth/secrets.ts';
import { makeSessionToken, sessionLifetime } from '../auth/session-tokens.ts';
import type { TokenPair } from '../auth/tokens.ts';
import { normaliseEmail } from '../rules/account.ts';
import { Refusal } from '../rules/errors.ts';
import type { Queries } from '../storage/schema.ts';
import { endSession, insertSession } from '../storage/sessions.ts';
import { findPasswordHash, findUser, holdPassword, type StoredUser } from '../storage/users.ts';
import type { Context } from './context.ts';

export interface Login {
  readonly email: string;
  readonly password: string;
}

export const startTokens = (context: Context, login: Login, network: string): Promise<TokenPair> =>
  signIn(context, login, network, (queries, userId) => context.tokens.start(queries, userId));

/** What somebody signs in with, as far as it is known. */
export interface Browser {
  readonly browser: string | null;
  readonly os: string | null;
}

/** The session that the browser had before ends: it is not left behind where nobody can sign it out. */
export const startSession = (
  context: Context,
  login: Login,
  network: string,
  { browser, os }: Browser,
  before: string | null,
): Promise<{ readonly user: StoredUser; readonly token: string }> =>
  signIn(context, login, network, async (queries, userId) => {
    const token = makeSessionToken(context.randomBytes);
    const now = context.now();
    if (before !== null) await endSession(queries, digest(before));
    await insertSession(queries, {
      hash: digest(token),
      user_id: userId,
      created_at: now,
      renewed_at: now,
      expires_at: now + sessionLifetime,
      browser,
      os,
    });
    const user = await findUser(queries, userId);
    if (!user) throw loginWrong();
    return { user, token };
  });

/**
 * Guesses are counted before they are looked at; a right one is taken back from the count. What is begun is begun
 * with a password that is still the right one: a change of it ends what was begun before, and nothing slips through.
 */
async function signIn<T>(
  context: Context,
  { email, password }: Login,
  network: string,
  begin: (queries: Queries, userId: number) => Promise<T>,
): Promise<T> {
  const address = normaliseEmail(email);
  const forgive = await context.limits.reserve(guessLimits(`login|${address}`, network));
  const user = await findPasswordHash(context.database.read, address);
  const right = user
    ? await context.passwords.verify(password, user.password_hash)
    : await context.passwords.verifyNothing(password);
  if (!user || !right) throw loginWrong();
  await forgive();
  return context.database.write(async (queries) => {
    if (!(await holdPassword(queries, user.id, user.password_hash))) throw loginWrong();
    return begin(queries, user.id);
  });
}

const loginWrong = (): Refusal =>
  new Refusal('LOGIN_WRONG', 'Email or password is wrong. Check both and try again.');
