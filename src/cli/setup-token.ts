import { needsFirstAccount, setupToken } from '../manage/accounts/register-user.ts';
import { Refusal } from '../rules/errors.ts';
import type { Command } from './command.ts';

export const showSetupToken: Command = {
  name: 'setup token',
  usage: 'setup token   (prints the token for creating the first account from another machine)',
  options: {},
  async run(context) {
    if (await needsFirstAccount(context)) return `${await setupToken(context)}\n`;
    throw new Refusal('NOT_FOUND', 'There is an account already: the setup token is of no use any more.');
  },
};
