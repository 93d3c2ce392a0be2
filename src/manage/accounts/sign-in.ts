import type { Priority } from '../../auth/fair-semaphore.ts';
import { knownBrowser, rememberBrowser } from '../../auth/known-browsers.ts';
import { sessionLifetime, sessionTokens } from '../../auth/opaque-tokens.ts';
import { digest } from '../../auth/secrets.ts';
import type { TokenPair } from '../../auth/tokens.ts';
import { normaliseEmail } from '../../rules/account.ts';
import { Refusal } from '../../rules/errors.ts';
import { endSession, insertSession } from '../../storage/accounts/sessions.ts';
import { findPasswordHash, findUser, lockPassword, type StoredUser } from '../../storage/accounts/users.ts';
import type { Queries } from '../../storage/schema.ts';
import type { Context } from '../context.ts';

interface Login {
  readonly email: string;
  readonly password: string;
}

export const startTokens = (context: Context, login: Login, network: string): Promise<TokenPair> =>
  signIn(context, login, network, null, (queries, userId) => context.tokens.start(queries, userId));

/** The key under which guesses at an account's password are counted. */
export const loginTarget = (email: string): string => `login|${normaliseEmail(email)}`;

/** The browser that signs in, as far as it is known. */
export interface Browser {
  readonly browser: string | null;
  readonly os: string | null;
  /** Its cookie of earlier sign-ins. */
  readonly knownCookie: string | null;
}

/** Ends the browser's previous session, which could not be signed out any more. */
export async function startSession(
  context: Context,
  login: Login,
  network: string,
  { browser, os, knownCookie }: Browser,
  previousToken: string | null,
): Promise<{ readonly user: StoredUser; readonly token: string; readonly knownCookie: string }> {
  const { secrets, randomBytes } = context;
  const started = await signIn(context, login, network, knownCookie, async (queries, userId) => {
    const token = sessionTokens.make(randomBytes);
    const now = context.now();
    if (previousToken !== null) await endSession(queries, digest(previousToken));
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
  const target = loginTarget(login.email);
  return {
    ...started,
    knownCookie: rememberBrowser(secrets, randomBytes, knownCookie, target, context.now()),
  };
}

/**
 * Guesses are counted before they are checked; a right one is uncounted. The session begins in a transaction that checks that the
 * password is unchanged: a change of the password ends all sessions that began before it.
 */
async function signIn<T>(
  context: Context,
  { email, password }: Login,
  network: string,
  knownCookie: string | null,
  begin: (queries: Queries, userId: number) => Promise<T>,
): Promise<T> {
  const address = normaliseEmail(email);
  const target = loginTarget(address);
  const browser = knownBrowser(context.secrets, knownCookie, target, context.now());
  const { withdraw, priority } = await context.passwordAttempts.reserve(target, { network, browser });
  const { user, right } = await verify(context, address, password, priority).catch(async (cause) => {
    // A guess whose password was not checked doesn't count.
    await withdraw();
    throw cause;
  });
  if (!user || !right) throw loginWrong();
  await Promise.all([withdraw(), context.passwordAttempts.rememberNetwork(target, network)]);
  return context.database.write(async (queries) => {
    if (!(await lockPassword(queries, user.id, user.password_hash))) throw loginWrong();
    return begin(queries, user.id);
  });
}

async function verify(
  { database, passwords }: Context,
  address: string,
  password: string,
  priority: Priority,
) {
  const user = await findPasswordHash(database.lookup, address);
  const right = user
    ? await passwords.verify(password, user.password_hash, priority)
    : await passwords.verifyDecoy(password, priority);
  return { user, right };
}

const loginWrong = (): Refusal =>
  new Refusal('LOGIN_WRONG', 'Email or password is wrong. Check both and try again.');
