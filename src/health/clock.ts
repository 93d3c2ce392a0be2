import { existsSync } from 'node:fs';
import { type Finding, notice, ok, problem } from '../rules/finding.ts';
import type { CheckContext } from './check-context.ts';

const problemAbove = 30_000;
const noticeAbove = 2_000;
/** systemd creates this file when it has set the clock; without it nothing is known. */
const setByNtp = '/run/systemd/timesync/synchronized';

/** Compared with the database's clock, and with times in the store: both reveal a wrong clock. */
export async function clockFindings({ store, now }: Pick<CheckContext, 'store' | 'now'>): Promise<Finding[]> {
  const findings: Finding[] = [];
  if (store?.kind === 'postgres') {
    const before = Date.now();
    const [row] = await store.query('select (extract(epoch from clock_timestamp()) * 1000)::bigint as at');
    // Compared with the middle of the round trip.
    const difference = Math.round(Number(row?.at) - (before + Date.now()) / 2);
    const found = `The clock of this machine and the database's are ${Math.abs(difference)} ms apart.`;
    const todo = 'Have both set by NTP: nodes must agree to half a minute.';
    if (Math.abs(difference) > problemAbove) findings.push(problem(found, todo));
    else if (Math.abs(difference) > noticeAbove) findings.push(notice(found, todo));
  }
  const ahead = (await newest(store)) - now;
  if (ahead > noticeAbove)
    findings.push(
      problem(
        `The store has a change from ${Math.ceil(ahead / 1000)} seconds in the future: this clock is behind, or was ahead.`,
        'Set the clock by NTP (timedatectl, chronyc tracking).',
      ),
    );
  if (findings.length > 0) return findings;
  return [ok(`It is ${new Date(now).toISOString()}${existsSync(setByNtp) ? ', kept by NTP' : ''}.`)];
}

async function newest(store: CheckContext['store']): Promise<number> {
  const [row] = (await store?.query('select max(at) as at from changes').catch(() => [])) ?? [];
  return Number(row?.at ?? 0);
}
