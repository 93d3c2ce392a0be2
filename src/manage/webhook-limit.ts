import type { Limit } from '../auth/rate-limit.ts';
import { Refusal } from '../rules/errors.ts';
import type { Context } from './context.ts';

const minute = 60_000;

/** What a call of the API sends out at once must not make a weapon of us. */
const limits = (linkId: number, organizationId: number): readonly Limit[] => [
  { key: `webhook|link|${linkId}`, most: 10, window: minute },
  { key: `webhook|organization|${organizationId}`, most: 60, window: minute },
];

export async function limitWebhookCalls(
  { limits: counted }: Context,
  linkId: number,
  organizationId: number,
): Promise<void> {
  try {
    await counted.reserve(limits(linkId, organizationId));
  } catch (cause) {
    if (!(cause instanceof Refusal) || cause.code !== 'TOO_MANY_ATTEMPTS') throw cause;
    const seconds = cause.retryAfter ?? 60;
    throw new Refusal(
      'TOO_MANY_ATTEMPTS',
      `Ten tests and redeliveries a minute are enough for one link. Try again in ${seconds} seconds.`,
      { retryAfter: seconds },
    );
  }
}
