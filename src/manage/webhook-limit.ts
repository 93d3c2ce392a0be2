import type { Limit } from '../auth/rate-limit.ts';
import type { Context } from './context.ts';
import { limitCalls } from './limit-calls.ts';

const minute = 60_000;

/** API calls that send requests to other hosts must not be usable for attacks. */
const limits = (linkId: number, organizationId: number): readonly Limit[] => [
  { key: `webhook|link|${linkId}`, max: 10, window: minute },
  { key: `webhook|organization|${organizationId}`, max: 60, window: minute },
];

export const limitWebhookCalls = (context: Context, linkId: number, organizationId: number): Promise<void> =>
  limitCalls(
    context,
    limits(linkId, organizationId),
    'Ten tests and redeliveries a minute are enough for one link.',
  );
