/** Every reason for which Linnet refuses something. `api/errors.ts` gives each one its status. */
export type ErrorCode =
  // the input
  | 'BODY_MISSING'
  | 'BODY_MALFORMED'
  | 'BODY_TOO_LARGE'
  | 'CONTENT_TYPE_UNSUPPORTED'
  | 'REQUEST_MALFORMED'
  | 'FIELD_MISSING'
  | 'FIELD_INVALID'
  | 'FIELD_TOO_LONG'
  | 'FIELD_UNKNOWN'
  | 'FIELD_FIXED'
  | 'PAGE_TOO_LARGE'
  | 'RANGE_REVERSED'
  | 'RANGE_TOO_WIDE'
  // links, tags, domains
  | 'DESTINATION_INVALID'
  | 'DESTINATION_IS_OURS'
  | 'SUFFIX_INVALID'
  | 'SUFFIX_RESERVED'
  | 'SUFFIX_TAKEN'
  | 'DOMAIN_UNVERIFIED'
  | 'DOMAIN_INVALID'
  | 'DOMAIN_RESERVED'
  | 'DOMAIN_EXISTS'
  | 'DOMAIN_TAKEN'
  | 'DOMAIN_HAS_LINKS'
  | 'TOO_MANY_DOMAINS'
  | 'COLOURS_EQUAL'
  | 'CONDITION_UNAVAILABLE'
  | 'LINK_CHANGED'
  | 'LINK_ON_PAPER'
  | 'EXTERNAL_ID_TAKEN'
  | 'TOO_MANY_SCHEDULED'
  | 'SCHEDULED_APPLIED'
  | 'TAG_EXISTS'
  | 'TEMPLATE_EXISTS'
  | 'TOO_MANY_TEMPLATES'
  | 'TAG_NOT_FOUND'
  // webhooks
  | 'WEBHOOK_TARGET_REFUSED'
  | 'WEBHOOK_MISSING'
  // clicks
  | 'CORRECTION_RUNNING'
  // the caller
  | 'KEY_MISSING'
  | 'KEY_INVALID'
  | 'TOKEN_INVALID'
  | 'SESSION_ENDED'
  | 'ORIGIN_FORBIDDEN'
  | 'LOGIN_WRONG'
  | 'PASSWORD_WRONG'
  | 'FORBIDDEN'
  | 'EMAIL_TAKEN'
  | 'REGISTRATION_CLOSED'
  | 'SETUP_TOKEN_WRONG'
  | 'INVITATION_INVALID'
  | 'RESET_INVALID'
  | 'EMAIL_UNPROVEN'
  | 'MAIL_MISSING'
  | 'ALREADY_MEMBER'
  | 'ORGANIZATION_IN_USE'
  | 'LAST_ADMINISTRATOR'
  | 'TOO_MANY_ATTEMPTS'
  | 'TOO_MANY_STREAMS'
  // calls with an Idempotency-Key
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'IDEMPOTENCY_ANSWER_UNKNOWN'
  // the address
  | 'NOT_FOUND'
  | 'ROUTE_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  // the service
  | 'BUSY'
  | 'TIMED_OUT'
  | 'STORE_AWAY'
  | 'INTERNAL';

export interface Problem {
  readonly code: ErrorCode;
  /** For people: what happened, and what to do about it. */
  readonly sentence: string;
  readonly field?: string | undefined;
}

/** A refusal that its receiver can act on. Anything else that is thrown is a fault of ours. */
export class Refusal extends Error implements Problem {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly sentence: string;
  readonly field: string | undefined;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;
  /** All problems, if several were found at once; the first is this refusal itself. */
  readonly problems: readonly Problem[];

  constructor(
    code: ErrorCode,
    sentence: string,
    more: { field?: string; retryAfter?: number; problems?: readonly Problem[] } = {},
  ) {
    super(sentence);
    this.code = code;
    this.sentence = sentence;
    this.field = more.field;
    this.retryAfter = more.retryAfter;
    this.problems = more.problems ?? [this];
  }
}

/** How often the store failed a caller in this thread: for metrics. */
export const storeFaults = { away: 0, too_slow: 0 };

/** The store can't be reached, is full or is too busy. Thrown by storage; the request was not carried out. */
export class StoreAway extends Error {
  override readonly name: string = 'StoreAway';

  constructor(message: string, options?: ErrorOptions, fault: keyof typeof storeFaults = 'away') {
    super(message, options);
    storeFaults[fault] += 1;
  }
}

/**
 * Something took longer than its caller may wait, or the caller has gone. Thrown by storage; the request was not carried out,
 * although the store is available.
 */
export class TookTooLong extends StoreAway {
  override readonly name = 'TookTooLong';
  /** Whether it had its turn, and was too slow itself. */
  readonly hasBegun: boolean;
  /** Milliseconds that it was given; null if unknown. */
  readonly patience: number | null;

  constructor(hasBegun: boolean, patience: number | null = null) {
    super(
      hasBegun ? 'a statement took too long' : 'a statement waited too long for its turn',
      undefined,
      'too_slow',
    );
    this.hasBegun = hasBegun;
    this.patience = patience;
  }
}

export const notFound = (noun: string): Refusal =>
  new Refusal('NOT_FOUND', `There is no such ${noun} in your organization.`);

export const forAdministrators = (): Refusal =>
  new Refusal('FORBIDDEN', 'Only an administrator of your organization may do this. Ask one of them.');
