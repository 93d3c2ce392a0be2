import { refusalOfIssues } from '../api/errors.ts';
import { ApiKeyToCreate } from '../api/schemas/api-key.ts';
import { createApiKey } from '../manage/api-keys.ts';
import { normaliseEmail } from '../rules/account.ts';
import { Refusal } from '../rules/errors.ts';
import { findUserByEmail } from '../storage/users.ts';
import { type Command, required } from './command.ts';

export const createKey: Command = {
  name: 'key create',
  usage: 'key create --email ADDRESS --name NAME   (prints the key alone, with npm run -s)',
  options: { email: { type: 'string' }, name: { type: 'string' } },
  async run(context, values) {
    const email = normaliseEmail(required(values, 'email'));
    const wish = { name: required(values, 'name') };
    const parsed = ApiKeyToCreate.safeParse(wish);
    if (!parsed.success) throw refusalOfIssues(parsed.error.issues, wish);
    const user = await findUserByEmail(context.database.read, email);
    if (!user) throw new Refusal('NOT_FOUND', `There is no account of ${email}.`);
    const made = await createApiKey(
      context,
      { userId: user.id, organizationId: user.organization_id },
      parsed.data.name,
    );
    return `${made.key}\n`;
  },
};
