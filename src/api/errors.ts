import { statusOf } from '../rules/error-codes.ts';
import { type Problem, Refusal, StoreUnavailable, TimeoutExceeded } from '../rules/errors.ts';
import type { Log } from '../telemetry/log.ts';

/** Converts an exception into the refusal for the client. Unexpected errors are logged, never shown. */
export function refusalOf(cause: unknown, log: Log): Refusal {
  if (cause instanceof Refusal) return cause;
  if (cause instanceof TimeoutExceeded) return cause.hasBegun ? timedOut(cause.timeout) : notBegun();
  if (cause instanceof StoreUnavailable) {
    log.warn('store away', { error: cause.message });
    return new Refusal(
      'STORE_AWAY',
      'The database is away, full or too busy right now. Try again in a few seconds.',
      { retryAfter: 5 },
    );
  }
  const reference = crypto.randomUUID();
  log.error('request failed', cause, { reference });
  return new Refusal('INTERNAL', `Something failed on our side. It was logged under ${reference}.`);
}

const timedOut = (timeout: number | null): Refusal =>
  new Refusal(
    'TIMED_OUT',
    `This took ${timeout === null || timeout < 1_000 || timeout >= 60_000 ? 'too long' : `longer than ${Math.ceil(timeout / 1_000)} seconds`} and was given up. Try again in a few seconds. For lists and statistics, ask for less at once: a shorter range, a smaller page, fewer filters.`,
    { retryAfter: 5 },
  );

const notBegun = (): Refusal =>
  new Refusal('BUSY', 'Too many requests are waiting for an answer right now. Try again in a few seconds.', {
    retryAfter: 3,
  });

/** Problems listed per call: a thousand unknown fields don't need a thousand sentences. */
const maxListed = 25;

/** The flat error object: `status_code`, `error_code`, `field_key`, `error_string`; `errors` if there are several. */
export function errorBody(refusal: Refusal) {
  const flat = (problem: Problem) => ({
    status_code: statusOf[problem.code],
    error_code: problem.code,
    ...(problem.field === undefined ? {} : { field_key: problem.field }),
    error_string: problem.sentence,
  });
  return refusal.problems.length > 1
    ? { ...flat(refusal), errors: refusal.problems.slice(0, maxListed).map(flat) }
    : flat(refusal);
}

export function errorHeaders(refusal: Refusal): Record<string, string> {
  const status = statusOf[refusal.code];
  return {
    ...(refusal.retryAfter === undefined ? {} : { 'retry-after': String(refusal.retryAfter) }),
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  };
}
