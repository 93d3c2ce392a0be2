import { requireInput } from '../api/read-input.ts';
import { ApiKeyToCreate } from '../api/schemas/api-key.ts';
import { createApiKey } from '../manage/accounts/api-keys.ts';
import { accountOf } from './account-of.ts';
import { type Command, required } from './command.ts';

export const createKey: Command = {
  name: 'key create',
  usage: 'key create --email ADDRESS --name NAME   (prints the key alone)',
  options: { email: { type: 'string' }, name: { type: 'string' } },
  async run(context, values) {
    const email = required(values, 'email');
    const given = { name: required(values, 'name') };
    const input = requireInput(ApiKeyToCreate, given);
    const user = await accountOf(context, email);
    const created = await createApiKey(
      context,
      { userId: user.id, organizationId: user.organization_id },
      input.name,
    );
    return `${created.key}\n`;
  },
};
