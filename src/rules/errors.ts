import type { ErrorCode } from './error-codes.ts';

export interface Problem {
  readonly code: ErrorCode;
  /** For people: what happened, and what to do about it. */
  readonly sentence: string;
  readonly field?: string | undefined;
}

/** An error that the client can act on. Anything else that is thrown is a fault of the service. */
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
    more: { field?: string | undefined; retryAfter?: number; problems?: readonly Problem[] } = {},
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

/** The store can't be reached, is full or is too busy. Thrown by storage; a write may still have been committed. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';

  constructor(message: string, options?: ErrorOptions, fault: keyof typeof storeFaults = 'away') {
    super(message, options);
    storeFaults[fault] += 1;
  }
}

/**
 * The request took longer than its caller may wait, or the caller has disconnected; the store itself is available. Thrown by
 * storage; a write may still have been committed.
 */
export class TimeoutExceeded extends StoreUnavailable {
  override readonly name = 'TimeoutExceeded';
  /** Whether the statement had begun, and was too slow itself. */
  readonly hasBegun: boolean;
  /** Milliseconds that it was given; null if unknown. */
  readonly timeout: number | null;

  constructor(hasBegun: boolean, timeout: number | null = null) {
    super(
      hasBegun ? 'a statement took too long' : 'a statement waited too long for its turn',
      undefined,
      'too_slow',
    );
    this.hasBegun = hasBegun;
    this.timeout = timeout;
  }
}

/** One refusal for several problems, with the code and the sentence of the first. */
export function refusalOfAll(problems: readonly Problem[]): Refusal {
  const [first] = problems;
  if (!first) throw new Error('a refusal without a problem');
  return new Refusal(first.code, first.sentence, { field: first.field, problems });
}

export const invalidField = (field: string, sentence: string): Refusal =>
  new Refusal('FIELD_INVALID', sentence, { field });

export const notFound = (noun: string): Refusal =>
  new Refusal('NOT_FOUND', `There is no such ${noun} in your organization.`);

/** What a lookup in the organization finds, or a refusal. */
export async function existing<T>(lookup: Promise<T | undefined>, noun: string): Promise<T> {
  const found = await lookup;
  if (found === undefined) throw notFound(noun);
  return found;
}

export const forAdministrators = (): Refusal =>
  new Refusal('FORBIDDEN', 'Only an administrator of your organization may do this. Ask one of them.');
