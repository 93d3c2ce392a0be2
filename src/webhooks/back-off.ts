import { dayLength, hourLength, minuteLength, secondLength } from '../rules/durations.ts';

/** Short at first, for a target that restarts; the last wait is repeated until the time is up. */
const waits = [
  5 * secondLength,
  30 * secondLength,
  2 * minuteLength,
  10 * minuteLength,
  30 * minuteLength,
  hourLength,
  3 * hourLength,
  6 * hourLength,
  12 * hourLength,
] as const;

const giveUpAfter = 3 * dayLength;
const maxRetryAfter = dayLength;

interface Tries {
  /** Attempts made so far: 1 after the first one failed. */
  readonly made: number;
  /** Instants, in epoch milliseconds. */
  readonly firstAt: number;
  readonly now: number;
}

/**
 * When to try again, or null after three days. `random` in [0, 1) spreads a wait over 80 to 120 % of itself. `retryAfter`
 * (milliseconds) can make a wait longer, up to a day, but never shorter.
 */
export function nextTry(tries: Tries, random: number, retryAfter: number | null): number | null {
  const end = tries.firstAt + giveUpAfter;
  if (tries.now >= end) return null;
  const wait = waits[Math.min(Math.max(tries.made, 1), waits.length) - 1] ?? dayLength;
  const requestedWait = Math.min(retryAfter ?? 0, maxRetryAfter);
  // The last try is made at the end itself, so that a target that recovered just before it is still reached.
  return Math.min(tries.now + Math.max(Math.round(wait * (0.8 + 0.4 * random)), requestedWait), end);
}

/** The relevant part of an attempt (guarded-request.ts). */
type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: number | null }
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed' };

export type AfterAttempt =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly at: number }
  | { readonly kind: 'failed'; readonly why: 'gone' | 'refused' | 'time is up' };

/**
 * A 410 and our own refusals are final: waiting changes neither. Every other answer is retried for three days, including 4xx and
 * redirects: the cause may be a deployment, an expired token or a mistyped route, and an operator who repairs it on Monday wants
 * Friday's events. The cost is some fifteen requests.
 */
export function afterAttempt(outcome: Outcome, tries: Tries, random: number): AfterAttempt {
  if (outcome.kind === 'refused') return { kind: 'failed', why: 'refused' };
  const status = outcome.kind === 'answered' ? outcome.status : null;
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  if (status === 410) return { kind: 'failed', why: 'gone' };
  const at = nextTry(tries, random, outcome.kind === 'answered' ? outcome.retryAfter : null);
  return at === null ? { kind: 'failed', why: 'time is up' } : { kind: 'again', at };
}

const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Parses a Retry-After header, seconds or a date, into milliseconds from now. Null if it is unusable. */
export function parseRetryAfter(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * secondLength;
  const instant = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? null : Math.max(0, instant - now);
}
