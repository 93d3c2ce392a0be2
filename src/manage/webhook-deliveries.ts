import type { Caller } from '../rules/access.ts';
import { notFound, Refusal } from '../rules/errors.ts';
import { findAnyLink, findLink } from '../storage/links.ts';
import { pageOf } from '../storage/rows.ts';
import {
  attemptsOf,
  countDeliveries,
  type DeliveryPage,
  findDelivery,
  listDeliveries,
  type Redelivery,
  requeueDelivery,
  type StoredAttempt,
} from '../storage/webhook-deliveries.ts';
import type { StoredDelivery } from '../storage/webhook-queue.ts';
import { zapierClick } from '../webhooks/outbox.ts';
import type { Context } from './context.ts';
import { limitWebhookCalls } from './webhook-limit.ts';

export interface DeliveryWithAttempts {
  readonly delivery: StoredDelivery;
  readonly attempts: readonly StoredAttempt[];
}

interface DeliveriesFound {
  readonly deliveries: readonly DeliveryWithAttempts[];
  readonly total: number;
  /** The id before which the next page begins; null behind the last one. */
  readonly next: number | null;
}

export async function readDeliveries(
  context: Context,
  caller: Caller,
  linkId: number,
  page: DeliveryPage,
): Promise<DeliveriesFound> {
  const { read } = context.database;
  if (!(await findLink(read, caller.organizationId, linkId))) throw notFound('link');
  const [found, total] = await Promise.all([
    listDeliveries(read, caller.organizationId, linkId, { ...page, limit: page.limit + 1 }),
    countDeliveries(read, caller.organizationId, linkId),
  ]);
  const { rows, last } = pageOf(found, page.limit);
  const attempts = await attemptsOf(
    read,
    rows.map((row) => row.id),
  );
  return {
    deliveries: rows.map((delivery) => ({ delivery, attempts: attempts.get(delivery.id) ?? [] })),
    total,
    next: last?.id ?? null,
  };
}

export async function readDelivery(
  context: Context,
  caller: Caller,
  id: number,
): Promise<DeliveryWithAttempts> {
  const { lookup } = context.database;
  const delivery = await findDelivery(lookup, caller.organizationId, id);
  if (!delivery) throw notFound('delivery');
  return { delivery, attempts: (await attemptsOf(lookup, [id])).get(id) ?? [] };
}

/**
 * Sends a message again under its own id: to where the link's webhook is now, as a target that was mistyped is the
 * usual reason. A message about a deleted link goes to its old target.
 */
export async function redeliver(context: Context, caller: Caller, id: number): Promise<DeliveryWithAttempts> {
  const { delivery } = await readDelivery(context, caller, id);
  await limitWebhookCalls(context, delivery.link_id, caller.organizationId);
  const where = await whereNow(context, delivery);
  await context.database.write((queries) =>
    requeueDelivery(queries, caller.organizationId, id, { ...where, now: context.now() }),
  );
  context.webhooks.wake();
  return readDelivery(context, caller, id);
}

async function whereNow({ database }: Context, delivery: StoredDelivery): Promise<Redelivery> {
  const link = await findAnyLink(database.lookup, delivery.link_id);
  if (!link) {
    const { target_url, signing_key } = delivery;
    return { target_url, signing_key };
  }
  const isZapier = delivery.event === zapierClick;
  const target = isZapier ? link.zapier_hook_url : link.webhook_url;
  if (target === null) throw noWebhook(isZapier ? 'Zap' : 'webhook');
  return {
    target_url: target,
    signing_key: isZapier ? null : link.webhook_auth_key,
  };
}

export const noWebhook = (what: string): Refusal =>
  new Refusal('WEBHOOK_MISSING', `This link has no ${what} now. Set one first.`);
