import { dayLength, hourLength, minuteLength } from '../durations.ts';

/** In hours: how long the proof of a verified domain may be missing before the domain is released. */
export const maxHoursWithoutProof = 72;

/** What one DNS lookup says about the proof. A failed query doesn't mean that it is gone. */
export type Verdict = 'present' | 'gone' | 'unknown';

export interface DomainStatus {
  readonly verifiedAt: number | null;
  readonly goneSince: number | null;
  readonly releasedAt: number | null;
  readonly checkedAt: number | null;
}

export type DomainState = 'pending' | 'verified' | 'failing';

export const stateOf = ({ verifiedAt, goneSince }: DomainStatus): DomainState =>
  verifiedAt === null ? 'pending' : goneSince === null ? 'verified' : 'failing';

/** A domain's state after a DNS lookup. */
export function afterCheck(before: DomainStatus, verdict: Verdict, now: number): DomainStatus {
  const checked = { ...before, checkedAt: now };
  if (verdict === 'present') {
    return { ...checked, verifiedAt: before.verifiedAt ?? now, goneSince: null, releasedAt: null };
  }
  if (before.verifiedAt === null) return checked;
  if (verdict === 'unknown') return { ...checked, goneSince: excludingDnsOutages(before, now) };
  const goneSince = before.goneSince ?? now;
  return now - goneSince >= maxHoursWithoutProof * hourLength
    ? { verifiedAt: null, goneSince: null, releasedAt: now, checkedAt: now }
    : { ...checked, goneSince };
}

/** Time in which the DNS could not be queried doesn't count against the domain. */
function excludingDnsOutages({ goneSince, checkedAt }: DomainStatus, now: number): number | null {
  if (goneSince === null) return null;
  return Math.min(now, goneSince + Math.max(0, now - (checkedAt ?? now)));
}

/**
 * When to check again. `random` from 0 to 1 spreads the daily checks. A new domain is checked often; one that has been pending
 * for weeks is not.
 */
export function nextCheck(
  status: DomainStatus,
  verdict: Verdict,
  createdAt: number,
  now: number,
  random: number,
): number {
  if (status.goneSince !== null) return now + hourLength;
  if (status.verifiedAt !== null)
    return now + (verdict === 'unknown' ? hourLength : dayLength - Math.floor(random * hourLength));
  const age = now - Math.max(createdAt, status.releasedAt ?? 0);
  return now + pendingPause(age);
}

function pendingPause(age: number): number {
  if (age < 15 * minuteLength) return 10_000;
  if (age < 2 * hourLength) return minuteLength;
  if (age < 2 * dayLength) return 10 * minuteLength;
  if (age < 14 * dayLength) return hourLength;
  return age < 90 * dayLength ? dayLength : 7 * dayLength;
}
