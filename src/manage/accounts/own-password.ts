import { knownPriority } from '../../auth/passwords.ts';
import type { Limit } from '../../auth/rate-limit.ts';
import type { Caller } from '../../rules/access.ts';
import { minuteLength } from '../../rules/durations.ts';
import { Refusal } from '../../rules/errors.ts';
import { findPasswordHash } from '../../storage/accounts/users.ts';
import type { Context } from '../context.ts';
import { readUser } from './read-user.ts';

const quarterOfAnHour = 15 * minuteLength;

/** Guesses at the password of a signed-in user. Those at the sign-in form have another limit. */
const guessLimit = (userId: number): Limit => ({
  key: `password change|${userId}`,
  max: 10,
  window: quarterOfAnHour,
});

/** Checks the caller's password, which was sent in this field, and returns its hash. */
export async function requireOwnPassword(
  context: Context,
  { userId }: Caller,
  password: string,
  field: string,
): Promise<string> {
  const { email } = await readUser(context, userId);
  const withdraw = await context.limits.reserve([guessLimit(userId)]);
  const hash = await verifiedHash(context, userId, email, password).catch(async (cause) => {
    // A guess whose password was not checked doesn't count.
    await withdraw();
    throw cause;
  });
  if (hash === null) throw passwordWrong(field);
  await withdraw();
  return hash;
}

/** Null if the password is wrong. */
async function verifiedHash(
  { database, passwords }: Context,
  userId: number,
  email: string,
  password: string,
): Promise<string | null> {
  const current = await findPasswordHash(database.lookup, email);
  const isRight =
    current && (await passwords.verify(password, current.password_hash, knownPriority(`user ${userId}`)));
  return isRight ? current.password_hash : null;
}

export const passwordWrong = (field: string): Refusal =>
  new Refusal('PASSWORD_WRONG', 'This is not your current password. Check it and try again.', { field });
