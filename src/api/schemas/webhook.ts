import { z } from 'zod';
import { nextField, pageParameters } from './page.ts';
import { isoInstant, stamp, text } from './parts.ts';

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
    next: nextField,
  })
  .meta({ id: 'WebhookDeliveryList' });

export const WebhookDeliveryQuery = z.object(pageParameters(100));

export const ZapierHook = z.object({ id: z.int(), target_url: z.string() }).meta({ id: 'ZapierHook' });

/** Zapier sends more than the address along; what we don't need we pass over. */
export const ZapierHookToCreate = z.object({ target_url: text(2048) });

export const ZapierSample = z
  .array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])))
  .meta({ id: 'ZapierSample' });
