import { forgetSealedKeys } from '../storage/links.ts';
import { replaceSetting } from '../storage/settings.ts';
import { keyMark, markOf } from '../store.ts';
import type { Command } from './command.ts';

export const replaceSecret: Command = {
  name: 'secret replace',
  usage:
    'secret replace   (for a lost secret key: the database takes the one that is here; webhook keys are forgotten)',
  options: {},
  async run({ database, secrets }) {
    await database.write(async (queries) => {
      await replaceSetting(queries, keyMark, markOf(secrets));
      await forgetSealedKeys(queries);
    });
    return 'The database now belongs to the secret key of this machine. Set the webhook_auth_key of your links anew.\n';
  },
};
