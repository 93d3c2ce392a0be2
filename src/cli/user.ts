import { requireInput } from '../api/read-input.ts';
import { UserToCreate } from '../api/schemas/user.ts';
import { knownPriority } from '../auth/passwords.ts';
import { endSignIns } from '../manage/accounts/end-sign-ins.ts';
import { registerUser } from '../manage/accounts/register-user.ts';
import { setPassword as storePassword } from '../storage/accounts/users.ts';
import { accountOf } from './account-of.ts';
import { askForPassword } from './ask-for-password.ts';
import { type Command, type CommandValues, required } from './command.ts';

export const createUser: Command = {
  name: 'user create',
  usage:
    'user create --email ADDRESS [--password PASSWORD] [--name NAME] [--organization NAME]   (asks for the password if it is not given)',
  options: {
    email: { type: 'string' },
    password: { type: 'string' },
    name: { type: 'string' },
    organization: { type: 'string' },
  },
  mayCreateStore: true,
  async prepare(values) {
    required(values, 'email');
    const complete = { ...values, password: values.password ?? (await askForPassword()) };
    inputOf(complete);
    return complete;
  },
  async run(context, values) {
    const user = await registerUser(context, inputOf(values), 'shell');
    return `Made the account of ${user.email}, who administers "${user.organization_name}".\n`;
  },
};

const inputOf = ({ email, password, name, organization }: CommandValues) =>
  requireInput(UserToCreate, { email: email?.trim(), password, name, organization_name: organization });

const NewPassword = UserToCreate.pick({ password: true });

/** For users who forgot theirs. The old password isn't asked for: the shell has full access anyway. */
export const setPassword: Command = {
  name: 'user password',
  usage: 'user password --email ADDRESS [--password PASSWORD]   (asks for the password if it is not given)',
  options: { email: { type: 'string' }, password: { type: 'string' } },
  async run(context, values) {
    const user = await accountOf(context, required(values, 'email'));
    const given = { password: values.password ?? (await askForPassword()) };
    const input = requireInput(NewPassword, given);
    const hash = await context.passwords.hash(input.password, knownPriority('shell'));
    await context.database.write(async (queries) => {
      await storePassword(queries, user.id, hash);
      await endSignIns(queries, user.id, context.now());
    });
    return `${user.email} has a new password and is signed out everywhere. API keys go on working.\n`;
  },
};
