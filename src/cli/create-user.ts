import { requireInput } from '../api/read-input.ts';
import { UserToCreate } from '../api/schemas/user.ts';
import { registerUser } from '../manage/accounts/register-user.ts';
import { askForPassword } from './ask-for-password.ts';
import { type Command, required } from './command.ts';

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
  check: (values) => void required(values, 'email'),
  async run(context, values) {
    const given = {
      email: required(values, 'email'),
      password: values.password ?? (await askForPassword()),
      name: values.name,
      organization_name: values.organization,
    };
    const input = requireInput(UserToCreate, given);
    const user = await registerUser(context, input, 'shell');
    return `Made the account of ${user.email}, who administers "${user.organization_name}".\n`;
  },
};
