import type { z } from 'zod';
import { tryWebhook } from '../manage/webhooks/try-webhook.ts';
import {
  type DeliveryWithAttempts,
  readDeliveries,
  redeliverFailed as redeliverFailedNow,
  redeliver as sendAgain,
} from '../manage/webhooks/webhook-deliveries.ts';
import { readOutages } from '../manage/webhooks/webhook-outages.ts';
import { formatIso, formatIsoOrNull, formatStamp } from '../rules/instant.ts';
import { clicksRange } from '../stats/range.ts';
import { Cursors, refuseBoth } from './cursor.ts';
import { endpoint } from './endpoint.ts';
import { pathId } from './schemas/parts.ts';
import {
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookDeliveryQuery,
  WebhookOutageList,
  WebhookRedelivered,
  WebhookRedelivery,
} from './schemas/webhook.ts';

const deliveryAnswer = ({ delivery, attempts }: DeliveryWithAttempts): z.input<typeof WebhookDelivery> => ({
  id: delivery.id,
  created_at: formatStamp(delivery.created_at),
  link_id: delivery.link_id,
  event: delivery.event,
  message_id: delivery.message_id,
  target_url: delivery.target_url,
  body: delivery.body,
  state: delivery.state,
  next_try_at: formatIsoOrNull(delivery.next_try_at),
  attempts: attempts.map(({ at, duration, status, excerpt, problem }) => ({
    at: formatIso(at),
    duration,
    status,
    answer: excerpt,
    problem,
  })),
});

export const list = endpoint({
  summary: 'List the webhook deliveries of a link',
  long: true,
  description:
    'Newest first, each with its attempts. Kept for 30 days, or `CLICK_RETENTION_DAYS` if that is shorter.',
  params: pathId,
  query: WebhookDeliveryQuery,
  statuses: { 200: 'A page of deliveries.' },
  answer: WebhookDeliveryList,
  async handle({ caller, params, query }, context) {
    refuseBoth(query);
    const cursorScope = [caller.organizationId, params.id];
    const cursors = new Cursors<number>(context.secrets, ['webhook deliveries', ...cursorScope]);
    const { limit, offset, cursor } = query;
    const page = { limit, offset, before: cursors.read(cursor) };
    const { deliveries, total, failed, next } = await readDeliveries(context, caller, params.id, page);
    return {
      webhook_deliveries: deliveries.map(deliveryAnswer),
      total_webhook_deliveries: total,
      total_failed: failed,
      ...cursors.toNext(next),
    };
  },
});

export const redeliver = endpoint({
  summary: 'Send a webhook delivery again',
  description:
    'The same message under the same id, to the current webhook of the link, with all its retries. At most ten a minute for one link.',
  params: pathId,
  statuses: { 202: 'It will be sent.' },
  otherErrors: ['429'],
  answer: WebhookDelivery,
  handle: async ({ caller, params }, context) => deliveryAnswer(await sendAgain(context, caller, params.id)),
});

export const redeliverFailed = endpoint({
  summary: 'Send all failed webhook deliveries of a span again',
  long: true,
  description:
    'For after an outage: every message that failed permanently, oldest first, under its own id, to the current webhook of its link. Except for test calls. Counts as one redelivery.',
  body: WebhookRedelivery,
  bodyIsOptional: true,
  statuses: { 202: 'They are on their way.' },
  otherErrors: ['404', '429'],
  answer: WebhookRedelivered,
  async handle({ caller, body = {} }, context) {
    const { from = 0, to = context.now() + 1 } = clicksRange(body);
    const result = await redeliverFailedNow(context, caller, { linkId: body.link_id, from, to });
    return {
      redelivered: result.redelivered,
      left_out: result.leftOut,
      continue_from: formatIsoOrNull(result.continueFrom),
    };
  },
});

export const outages = endpoint({
  summary: 'List failing webhook targets',
  long: true,
  description:
    'Targets of the organization whose last attempt failed, the longest first, a hundred at most, and how many messages failed permanently. Administrators are notified by mail of a target that fails for a day.',
  statuses: { 200: 'Empty if all targets work.' },
  answer: WebhookOutageList,
  async handle({ caller }, context) {
    const { outages, failed } = await readOutages(context, caller);
    const webhook_outages = outages.map(({ target_url, since, last_failed_at, told_at }) => ({
      target_url,
      since: formatIso(since),
      last_failed_at: formatIso(last_failed_at),
      told_at: formatIsoOrNull(told_at),
    }));
    return { webhook_outages, total_failed: failed };
  },
});

export const test = endpoint({
  summary: 'Test the webhook of a link',
  description:
    'Sends an invented click, marked by `"sample": true`, once and immediately, and returns the result. At most ten a minute for one link.',
  params: pathId,
  statuses: { 200: 'The result: see `state` and `attempts`.' },
  otherErrors: ['429'],
  answer: WebhookDelivery,
  async handle({ caller, params, connection }, context) {
    // The target may take as long as a call may last.
    connection.keepOpen();
    return deliveryAnswer(await tryWebhook(context, caller, params.id));
  },
});
