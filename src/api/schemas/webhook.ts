import { z } from 'zod';
import { nextField, pageParameters } from './page.ts';
import { component, id, intOrNull, isoInstant, stamp, text, textOrNull } from './parts.ts';
import { instantText } from './stats.ts';

const WebhookAttempt = component('WebhookAttempt', {
  at: isoInstant,
  duration: z.int().describe('Milliseconds.'),
  status: intOrNull.describe('The status of the response; null if there was none.'),
  answer: textOrNull.describe('The beginning of the response.'),
  problem: textOrNull.describe('Why there was no response.'),
});

export const WebhookDelivery = component('WebhookDelivery', {
  id: z.int(),
  created_at: stamp,
  link_id: z.int(),
  event: z.string(),
  message_id: z
    .string()
    .describe('The header webhook-id of every attempt, by which a receiver recognises repetitions.'),
  target_url: z.string(),
  body: z.string(),
  state: z.enum(['waiting', 'delivered', 'failed']),
  next_try_at: textOrNull.describe('ISO 8601, UTC; null if there is no next attempt.'),
  attempts: z.array(WebhookAttempt),
});

export const WebhookDeliveryList = component('WebhookDeliveryList', {
  webhook_deliveries: z.array(WebhookDelivery),
  total_webhook_deliveries: z.int(),
  total_failed: z
    .int()
    .describe('How many of them failed permanently, except for test calls; 10,000 if there are more.'),
  next: nextField,
});

export const WebhookDeliveryQuery = z.object(pageParameters(100));

export const WebhookRedelivery = z.strictObject({
  link_id: id.optional().describe('Only those of this link. Default: of all links of the organization.'),
  from: instantText('A date is its first instant. Default: as far back as deliveries are kept.'),
  to: instantText('A date includes that day. Default: now.'),
});

export const WebhookRedelivered = component('WebhookRedelivered', {
  redelivered: z.int().describe('The number of messages that are sent again.'),
  left_out: z
    .int()
    .describe('The number of messages without a target, because their link has no webhook now.'),
  continue_from: textOrNull.describe(
    'ISO 8601, UTC: there were so many that the call ended here. Call again with it as `from`. Null if all were sent.',
  ),
});

export const WebhookOutageList = component('WebhookOutageList', {
  webhook_outages: z.array(
    component('WebhookOutage', {
      target_url: z.string(),
      since: z.string().describe('ISO 8601, UTC: the first failed attempt since the last delivery.'),
      last_failed_at: z.string().describe('ISO 8601, UTC.'),
      told_at: textOrNull.describe(
        'ISO 8601, UTC: when administrators were notified by mail, after a day; null if they were not.',
      ),
    }),
  ),
  total_failed: z
    .int()
    .describe(
      'How many messages failed permanently, for all links, including targets that work again, except for test calls; 10,000 if there are more.',
    ),
});

export const ZapierHook = component('ZapierHook', { id: z.int(), target_url: z.string() });

/** Zapier sends more than the address; we ignore the rest. */
export const ZapierHookToCreate = z.object({ target_url: text(2048) });

export const ZapierSample = z
  .array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])))
  .meta({ id: 'ZapierSample' });
