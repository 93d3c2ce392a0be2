import { type ErrorCode, type Problem, Refusal, StoreAway, TookTooLong } from '../rules/errors.ts';
import type { Log } from '../telemetry/log.ts';

/** The only place where an error code gets its status. */
export const statusOf: Readonly<Record<ErrorCode, number>> = {
  BODY_MISSING: 400,
  BODY_MALFORMED: 400,
  BODY_TOO_LARGE: 413,
  CONTENT_TYPE_UNSUPPORTED: 415,
  REQUEST_MALFORMED: 400,
  FIELD_MISSING: 400,
  FIELD_INVALID: 400,
  FIELD_TOO_LONG: 400,
  FIELD_UNKNOWN: 400,
  FIELD_FIXED: 400,
  PAGE_TOO_LARGE: 400,
  RANGE_REVERSED: 400,
  RANGE_TOO_WIDE: 400,
  DESTINATION_INVALID: 400,
  DESTINATION_IS_OURS: 400,
  SUFFIX_INVALID: 400,
  SUFFIX_RESERVED: 400,
  SUFFIX_TAKEN: 409,
  DOMAIN_UNVERIFIED: 400,
  DOMAIN_INVALID: 400,
  DOMAIN_RESERVED: 400,
  DOMAIN_EXISTS: 409,
  DOMAIN_TAKEN: 409,
  DOMAIN_HAS_LINKS: 409,
  TOO_MANY_DOMAINS: 409,
  COLOURS_EQUAL: 400,
  CONDITION_UNAVAILABLE: 400,
  LINK_CHANGED: 409,
  LINK_ON_PAPER: 409,
  EXTERNAL_ID_TAKEN: 409,
  TOO_MANY_SCHEDULED: 409,
  SCHEDULED_APPLIED: 409,
  TAG_EXISTS: 409,
  TEMPLATE_EXISTS: 409,
  TOO_MANY_TEMPLATES: 409,
  TAG_NOT_FOUND: 400,
  WEBHOOK_TARGET_REFUSED: 400,
  WEBHOOK_MISSING: 409,
  CORRECTION_RUNNING: 409,
  KEY_MISSING: 401,
  KEY_INVALID: 401,
  TOKEN_INVALID: 401,
  SESSION_ENDED: 401,
  ORIGIN_FORBIDDEN: 403,
  LOGIN_WRONG: 401,
  PASSWORD_WRONG: 400,
  FORBIDDEN: 403,
  EMAIL_TAKEN: 409,
  REGISTRATION_CLOSED: 403,
  SETUP_TOKEN_WRONG: 403,
  INVITATION_INVALID: 403,
  RESET_INVALID: 400,
  EMAIL_UNPROVEN: 403,
  MAIL_MISSING: 409,
  ALREADY_MEMBER: 409,
  ORGANIZATION_IN_USE: 409,
  LAST_ADMINISTRATOR: 409,
  TOO_MANY_ATTEMPTS: 429,
  TOO_MANY_STREAMS: 429,
  IDEMPOTENCY_KEY_REUSED: 422,
  IDEMPOTENCY_ANSWER_UNKNOWN: 409,
  NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  BUSY: 503,
  TIMED_OUT: 504,
  STORE_AWAY: 503,
  INTERNAL: 500,
};

/** Converts an exception into the refusal for the client. Unexpected errors are logged, never shown. */
export function refusalOf(cause: unknown, log: Log): Refusal {
  if (cause instanceof Refusal) return cause;
  if (cause instanceof TookTooLong) return cause.hasBegun ? timedOut(cause.patience) : overtaken();
  if (cause instanceof StoreAway) {
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

const timedOut = (patience: number | null): Refusal =>
  new Refusal(
    'TIMED_OUT',
    `This took ${patience === null || patience < 1_000 || patience >= 60_000 ? 'too long' : `longer than ${Math.ceil(patience / 1_000)} seconds`} and was given up. Ask for less at once: a shorter range, a smaller page, fewer filters.`,
    { retryAfter: 5 },
  );

const overtaken = (): Refusal =>
  new Refusal('BUSY', 'Too many questions are waiting for an answer right now. Try again in a few seconds.', {
    retryAfter: 3,
  });

/** Problems listed per call: a thousand unknown fields need no thousand sentences. */
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
