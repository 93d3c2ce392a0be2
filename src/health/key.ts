import { markOf, strayBlanks } from '../auth/master-key.ts';
import { settingIn } from '../backup/read-only-store.ts';
import { shellCommand } from '../bundle/shell-command.ts';
import { type Finding, notice, ok, problem } from '../rules/finding.ts';
import { keyFingerprintSetting } from '../storage/settings.ts';
import type { CheckContext } from './check-context.ts';

/** Whether the secret key is the one that the database belongs to: nothing starts with another one. */
export async function keyFindings(context: CheckContext): Promise<Finding> {
  const { config, secrets, keyProblem, store, dataDir } = context;
  if (keyProblem !== null) return problem(keyProblem, 'Nothing starts until then.');
  const mark = store === null ? null : await settingIn(store, keyFingerprintSetting);
  if (secrets === null && mark === null)
    return notice('There is no secret key yet.', 'The first start makes it.');
  if (mark === null) return ok('There is a secret key.');
  if (secrets === null)
    return problem(`secret.key is missing in ${dataDir}, and the database belongs to one.`, todo());
  return markOf(secrets) === mark
    ? ok('The secret key is that of the database.')
    : problem(`The database belongs to another secret key.${strayBlanks(config.secretKey)}`, todo());
}

const todo = (): string =>
  `Put back the right secret.key, or set SECRET_KEY to it: nothing starts until then. Only if it is lost, run "${shellCommand('secret replace')}".`;
