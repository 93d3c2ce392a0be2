import { lastBackup } from '../backup/last-backup.ts';
import { settingIn } from '../backup/read-only-store.ts';
import { shellCommand } from '../bundle/shell-command.ts';
import { dayLength } from '../rules/durations.ts';
import { notice, ok } from '../rules/finding.ts';
import type { CheckContext, Findings } from './check-context.ts';

const manyDays = 7;

export async function lastBackupFindings({ store, now }: CheckContext): Promise<Findings> {
  if (store === null) return [];
  const at = await settingIn(store, lastBackup).catch(() => null);
  const todo = `Make one: ${shellCommand('backup FILE')}. Copies that are made by other means are not known here.`;
  if (at === null) return notice('No backup is known.', todo);
  const since = now - Number(at);
  if (since < -dayLength)
    return notice('The last backup was made while a clock was ahead: when that was is not known.', todo);
  // Less than that may lie between the clocks of two machines, or be a clock that was set back.
  const days = Math.max(0, Math.floor(since / dayLength));
  const found = `The last backup was made ${days === 0 ? 'within a day' : days === 1 ? 'a day ago' : `${days} days ago`}.`;
  return days < manyDays ? ok(found) : notice(found, todo);
}
