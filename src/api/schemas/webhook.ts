import { z } from 'zod';
import { nextField, pageParameters } from './page.ts';
import { id, isoInstant, stamp, text } from './parts.ts';
import { instantText } from './stats.ts';

const WebhookAttempt = z
  .object({
    at: isoInstant,
    duration: z.int().meta({ description: 'Milliseconds.' }),
    status: z.int().nullable().meta({ description: 'What the target answered; null when it did not.' }),
    answer: z.string().nullable().meta({ description: 'How its answer begins.' }),
    problem: z.string().nullable().meta({ description: 'Why there was no answer.' }),
  })
  .meta({ id: 'WebhookAttempt' });

export const WebhookDelivery = z
  .object({
    id: z.int(),
    created_at: stamp,
    link_id: z.int(),
    event: z.string(),
    message_id: z
      .string()
      .meta({ description: 'The header webhook-id of every attempt: what a receiver tells repetitions by.' }),
    target_url: z.string(),
    body: z.string(),
    state: z.enum(['waiting', 'delivered', 'failed']),
    next_try_at: z
      .string()
      .nullable()
      .meta({ description: 'ISO 8601, UTC; null when there is no next try.' }),
    attempts: z.array(WebhookAttempt),
  })
  .meta({ id: 'WebhookDelivery' });

export const WebhookDeliveryList = z
  .object({
    webhook_deliveries: z.array(WebhookDelivery),
    total_webhook_deliveries: z.int(),
    total_failed: z.int().meta({
      description: 'How many of them failed for good, test calls apart; 10,000 where there are more.',
    }),
    next: nextField,
  })
  .meta({ id: 'WebhookDeliveryList' });

export const WebhookDeliveryQuery = z.object(pageParameters(100));

export const WebhookRedelivery = z.object({
  link_id: id
    .optional()
    .meta({ description: 'Of this link alone. Default: of all links of the organization.' }),
  from: instantText('A date is its first instant. Default: as far back as deliveries are kept.'),
  to: instantText('A date includes that day. Default: now.'),
});

export const WebhookRedelivered = z
  .object({
    redelivered: z.int().meta({ description: 'How many messages are on their way again.' }),
    left_out: z.int().meta({ description: 'How many have nowhere to go, as their link has no webhook now.' }),
    continue_from: z.string().nullable().meta({
      description:
        'ISO 8601, UTC: there were so many that the call ended here. Call again with it as `from`. Null when it got to all.',
    }),
  })
  .meta({ id: 'WebhookRedelivered' });

export const WebhookOutageList = z
  .object({
    webhook_outages: z.array(
      z
        .object({
          target_url: z.string(),
          since: z
            .string()
            .meta({ description: 'ISO 8601, UTC: the first attempt that failed since one was delivered.' }),
          last_failed_at: z.string().meta({ description: 'ISO 8601, UTC.' }),
          told_at: z.string().nullable().meta({
            description:
              'ISO 8601, UTC: when administrators were told by mail, after a day; null when they were not.',
          }),
        })
        .meta({ id: 'WebhookOutage' }),
    ),
    total_failed: z.int().meta({
      description:
        'How many messages failed for good, of all links and of targets that work again too, test calls apart; 10,000 where there are more.',
    }),
  })
  .meta({ id: 'WebhookOutageList' });

export const ZapierHook = z.object({ id: z.int(), target_url: z.string() }).meta({ id: 'ZapierHook' });

/** Zapier sends more than the address; we ignore the rest. */
export const ZapierHookToCreate = z.object({ target_url: text(2048) });

export const ZapierSample = z
  .array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])))
  .meta({ id: 'ZapierSample' });
