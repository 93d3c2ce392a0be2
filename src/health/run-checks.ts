import { type CheckFinding, type CheckName, type Finding, notice, problem } from '../rules/finding.ts';
import { withTimeout } from '../structures/with-timeout.ts';
import { arrivalFindings } from './arrival.ts';
import { backlogFindings } from './backlog.ts';
import { certificateFindings } from './certificate.ts';
import type { CheckContext, Findings } from './check-context.ts';
import { clickServerFindings } from './click-server.ts';
import { clockFindings } from './clock.ts';
import { databaseFindings } from './database.ts';
import { diskFindings } from './disk.ts';
import { dnsFindings } from './dns.ts';
import { keyFindings } from './key.ts';
import { lastBackupFindings } from './last-backup.ts';
import { mailFindings } from './mail.ts';

type Check = (context: CheckContext) => Promise<Findings>;

const checks: readonly (readonly [CheckName, Check])[] = [
  ['disk', diskFindings],
  ['clock', clockFindings],
  ['dns', dnsFindings],
  ['certificate', certificateFindings],
  ['address', arrivalFindings],
  ['database', databaseFindings],
  ['database', clickServerFindings],
  ['key', keyFindings],
  ['mail', mailFindings],
  ['backlog', backlogFindings],
  ['backup', lastBackupFindings],
];

export async function runChecks(context: CheckContext): Promise<readonly CheckFinding[]> {
  const found = await Promise.all(
    checks.map(async ([name, check]) => {
      const findings = await findingsOf(check, context, needed.has(name) ? unreadable : unknown);
      return [findings].flat().map((finding) => ({ check: name, ...finding }));
    }),
  );
  return found.flat();
}

/** Nothing starts without these: that they can't be checked is a problem itself. */
const needed: ReadonlySet<CheckName> = new Set(['database', 'key']);
const unreadable = (found: string): Finding =>
  problem(
    found,
    'Nothing starts while the database can not be read. See its log, and which rights its user has; if it is damaged, restore a backup.',
  );
const unknown = (found: string): Finding => notice(found, 'Try again.');

/** A check that takes longer, or throws, is reported as such, without affecting the others. */
const timeout = 12_000;

async function findingsOf(
  check: Check,
  context: CheckContext,
  failed: (found: string) => Finding,
): Promise<Findings> {
  try {
    return await withTimeout(timeout, check(context), () => failed('This took too long to find out.'));
  } catch (cause) {
    return failed(`This could not be found out: ${(cause as Error).message}.`);
  }
}
