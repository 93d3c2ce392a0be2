import { adoptKey } from '../store.ts';
import type { Command } from './command.ts';

export const replaceSecret: Command = {
  name: 'secret replace',
  usage:
    'secret replace   (for a lost secret key: the database takes the one that is here; webhook keys are forgotten)',
  options: {},
  async run({ database, secrets }) {
    await adoptKey(database, secrets);
    return 'The database now belongs to the secret key of this machine. Set the webhook_auth_key of your links anew.\n';
  },
};
