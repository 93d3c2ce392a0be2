import type { NewDelivery } from '../../src/storage/webhooks/webhook-queue.ts';

/** A delivery that waits for its next try, or has failed if there is none. */
export const webhookDelivery = (
  organization_id: number,
  target_url: string,
  next_try_at: number | null,
): NewDelivery => ({
  created_at: 1,
  organization_id,
  link_id: 1,
  event: 'click',
  message_id: crypto.randomUUID(),
  target_url,
  body: '{}',
  signing_key: null,
  state: next_try_at === null ? 'failed' : 'waiting',
  tries: 0,
  first_tried_at: null,
  next_try_at,
  claimed_until: null,
});
