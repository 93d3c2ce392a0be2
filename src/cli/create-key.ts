import { refusalOfIssues } from '../api/errors.ts';
import { ApiKeyToCreate } from '../api/schemas/api-key.ts';
import { createApiKey } from '../manage/api-keys.ts';
import { accountOf } from './account-of.ts';
import { type Command, required } from './command.ts';

export const createKey: Command = {
  name: 'key create',
  usage: 'key create --email ADDRESS --name NAME   (prints the key alone, with npm run -s)',
  options: { email: { type: 'string' }, name: { type: 'string' } },
  async run(context, values) {
    const email = required(values, 'email');
    const wish = { name: required(values, 'name') };
    const parsed = ApiKeyToCreate.safeParse(wish);
    if (!parsed.success) throw refusalOfIssues(parsed.error.issues, wish);
    const user = await accountOf(context, email);
    const made = await createApiKey(
      context,
      { userId: user.id, organizationId: user.organization_id },
      parsed.data.name,
    );
    return `${made.key}\n`;
  },
};
