import type { Context } from '../manage/context.ts';
import { type Answered, IdempotentCall, keyField } from '../manage/idempotent-call.ts';
import type { Caller } from '../rules/access.ts';
import { statusOf } from '../rules/error-codes.ts';
import { invalidField, type Refusal } from '../rules/errors.ts';
import { errorBody } from './errors.ts';
import { Json } from './json.ts';

const validKey = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** Null if the call has no key. */
export function idempotentCall(
  context: Context,
  caller: Caller,
  { method, url, headers }: Request,
  body: unknown,
): IdempotentCall | null {
  const key = headers.get(keyField);
  if (key === null) return null;
  if (!validKey.test(key)) {
    throw invalidField(
      keyField,
      `${keyField} takes 1 to 255 characters of ASCII, such as a UUID that is made for each thing to create.`,
    );
  }
  const { organizationId, userId } = caller;
  const request = `${method} ${targetOf(url)}\n${JSON.stringify(body)}`;
  return new IdempotentCall(context, { organizationId, userId, key, request });
}

/** Path and query, without the parameters that are ignored (see `readQuery`): clients give them another value in each call. */
function targetOf(url: string): string {
  const target = url.slice(url.indexOf('/', 'https://'.length));
  const start = target.indexOf('?');
  if (start < 0 || !target.includes('_', start)) return target;
  const parameters = target.slice(start + 1).split('&');
  const read = parameters.filter((parameter) => !parameter.startsWith('_'));
  return read.length === 0 ? target.slice(0, start) : `${target.slice(0, start)}?${read.join('&')}`;
}

interface ReplyParts {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const serialisedAnswer = ({ status, body }: ReplyParts): Answered => ({
  status,
  text: body instanceof Json ? body.text : JSON.stringify(body),
});

/** Answers are sent as they are stored, so that the first one is identical to the repeated ones. */
export async function answerOnce<CallContext extends Context>(
  call: IdempotentCall,
  context: CallContext,
  handle: (context: CallContext) => Promise<ReplyParts>,
) {
  const carryOut = async (claimingContext: CallContext) => serialisedAnswer(await handle(claimingContext));
  const { status, text, isReplay } = await call.answer(context, carryOut, storedRefusal);
  const headers: Record<string, string> = isReplay ? { 'idempotent-replayed': 'true' } : {};
  return { status, body: Json.fromText(text), headers };
}

/**
 * Refusals because of the stored state are returned again to a repeated call. Refusals because of the call itself, its credential
 * or a fault of ours are not stored: they get fixed, and the call is repeated with the same key.
 */
function storedRefusal(refusal: Refusal): Answered | null {
  const status = statusOf[refusal.code];
  const isAboutKey = refusal.code.startsWith('IDEMPOTENCY_');
  return status === 409 && !isAboutKey ? { status, text: JSON.stringify(errorBody(refusal)) } : null;
}
