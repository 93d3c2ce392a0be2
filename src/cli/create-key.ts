import { createApiKey } from '../manage/api-keys.ts';
import { normaliseEmail } from '../rules/account.ts';
import { Refusal } from '../rules/errors.ts';
import { findUserByEmail } from '../storage/users.ts';
import { type Command, required } from './command.ts';

export const createKey: Command = {
  name: 'key create',
  usage: 'key create --email ADDRESS --name NAME   (prints the key, and nothing else)',
  options: { email: { type: 'string' }, name: { type: 'string' } },
  async run(context, values) {
    const email = normaliseEmail(required(values, 'email'));
    const name = required(values, 'name');
    const user = await findUserByEmail(context.database.read, email);
    if (!user) throw new Refusal('NOT_FOUND', `There is no account of ${email}.`);
    const made = await createApiKey(context, { userId: user.id, organizationId: user.organization_id }, name);
    return `${made.key}\n`;
  },
};
