import type { Context } from '../manage/context.ts';
import { normaliseEmail } from '../rules/account.ts';
import { Refusal } from '../rules/errors.ts';
import { findUserByEmail } from '../storage/accounts/users.ts';

export async function accountOf({ database }: Context, address: string) {
  const email = normaliseEmail(address);
  const user = await findUserByEmail(database.read, email);
  if (!user) throw new Refusal('NOT_FOUND', `There is no account of ${email}. Check the address.`);
  return user;
}
