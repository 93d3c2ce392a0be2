import type { Caller } from '../../rules/access.ts';
import { existing } from '../../rules/errors.ts';
import { findLink } from '../../storage/links/links.ts';
import { insertDelivery } from '../../storage/webhooks/webhook-deliveries.ts';
import { insertAttempt } from '../../storage/webhooks/webhook-queue.ts';
import { messageContext, sampleDelivery } from '../../webhooks/outbox.ts';
import type { Context } from '../context.ts';
import {
  type DeliveryWithAttempts,
  limitWebhookCalls,
  noWebhook,
  readDelivery,
} from './webhook-deliveries.ts';

/** Sends a made-up click at once, and returns the result. It is listed among the deliveries, and isn't retried. */
export async function tryWebhook(
  context: Context,
  caller: Caller,
  linkId: number,
): Promise<DeliveryWithAttempts> {
  const { database, config, webhooks, now } = context;
  const link = await existing(findLink(database.lookup, caller.organizationId, linkId), 'link');
  if (link.webhook_url === null) throw noWebhook('webhook');
  await limitWebhookCalls(context, linkId, caller.organizationId);
  const message = sampleDelivery(
    link,
    link.webhook_url,
    config.webhookAddress,
    messageContext(context, now()),
  );
  const attempt = await webhooks.tryOnce(message);
  const status = attempt.status ?? 0;
  const isDelivered = status >= 200 && status < 300;
  const id = await database.write(async (queries) => {
    const deliveryId = await insertDelivery(queries, {
      ...message,
      state: isDelivered ? 'delivered' : 'failed',
      tries: 1,
      first_tried_at: attempt.at,
      next_try_at: null,
    });
    await insertAttempt(queries, deliveryId, attempt);
    return deliveryId;
  });
  return readDelivery(context, caller, id);
}
