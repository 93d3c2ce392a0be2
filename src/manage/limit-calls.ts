import { type Limit, waitOf } from '../auth/rate-limit.ts';
import { Refusal } from '../rules/errors.ts';
import type { Context } from './context.ts';

/** Limits calls that are not wrong in themselves, so the refusal needs its own reason. */
export async function limitCalls(
  { limits }: Context,
  callLimits: readonly Limit[],
  reason: string,
): Promise<void> {
  try {
    await limits.reserve(callLimits);
  } catch (cause) {
    if (!(cause instanceof Refusal) || cause.code !== 'TOO_MANY_ATTEMPTS') throw cause;
    const seconds = cause.retryAfter ?? 60;
    throw new Refusal('TOO_MANY_ATTEMPTS', `${reason} Try again in ${waitOf(seconds)}.`, {
      retryAfter: seconds,
    });
  }
}
