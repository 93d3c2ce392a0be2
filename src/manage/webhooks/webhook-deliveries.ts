import type { Caller } from '../../rules/access.ts';
import { existing, notFound, Refusal } from '../../rules/errors.ts';
import { findLink, type StoredLink } from '../../storage/links/links.ts';
import { idsOf, pageOf } from '../../storage/rows.ts';
import type { Queries } from '../../storage/schema.ts';
import {
  attemptsOf,
  countDeliveries,
  countFailed,
  type DeliveryPage,
  type FailedDelivery,
  type FailedSpan,
  failedDeliveries,
  findDelivery,
  listDeliveries,
  type Redelivery,
  requeueDeliveries,
  type StoredAttempt,
} from '../../storage/webhooks/webhook-deliveries.ts';
import { hooksOfLinks, type StoredDelivery } from '../../storage/webhooks/webhook-queue.ts';
import { zapierClick } from '../../webhooks/outbox.ts';
import type { Context } from '../context.ts';

/** How many days deliveries are kept, if individual clicks are kept for as long. */
export const deliveryDays = 30;
/** The list is requested repeatedly while its page is open. */
const maxFailedCounted = 10_000;

export interface DeliveryWithAttempts {
  readonly delivery: StoredDelivery;
  readonly attempts: readonly StoredAttempt[];
}

interface DeliveriesFound {
  readonly deliveries: readonly DeliveryWithAttempts[];
  readonly total: number;
  /** How many of them failed permanently, up to `maxFailedCounted`. */
  readonly failed: number;
  /** The id before which the next page begins; null after the last one. */
  readonly next: number | null;
}

export async function readDeliveries(
  context: Context,
  caller: Caller,
  linkId: number,
  page: DeliveryPage,
): Promise<DeliveriesFound> {
  const { read } = context.database;
  await existing(findLink(read, caller.organizationId, linkId), 'link');
  const [found, total, failed] = await Promise.all([
    listDeliveries(read, caller.organizationId, linkId, { ...page, limit: page.limit + 1 }),
    countDeliveries(read, caller.organizationId, linkId),
    countFailed(read, { organizationId: caller.organizationId, linkId }, maxFailedCounted),
  ]);
  const { rows, last } = pageOf(found, page.limit);
  const attempts = await attemptsOf(read, idsOf(rows));
  return {
    deliveries: rows.map((delivery) => ({ delivery, attempts: attempts.get(delivery.id) ?? [] })),
    total,
    failed,
    next: last?.id ?? null,
  };
}

/** Of all links of the organization. */
export const countFailedDeliveries = ({ database }: Context, { organizationId }: Caller): Promise<number> =>
  countFailed(database.read, { organizationId, linkId: undefined }, maxFailedCounted);

export async function readDelivery(
  context: Context,
  caller: Caller,
  id: number,
): Promise<DeliveryWithAttempts> {
  const { lookup } = context.database;
  const delivery = await existing(findDelivery(lookup, caller.organizationId, id), 'delivery');
  return { delivery, attempts: (await attemptsOf(lookup, [id])).get(id) ?? [] };
}

/**
 * Sends a message again under its own id, to the current target of the link's webhook: a mistyped target is the usual reason. A
 * message about a deleted link goes to its old target.
 */
export async function redeliver(context: Context, caller: Caller, id: number): Promise<DeliveryWithAttempts> {
  const { delivery } = await readDelivery(context, caller, id);
  await limitWebhookCalls(context, delivery.link_id, caller.organizationId);
  const [found] = await currentTargets(context.database.lookup, [delivery]);
  if (!found) throw noWebhook(delivery.event === zapierClick ? 'Zap' : 'webhook');
  const { organizationId } = caller;
  const { ids, ...target } = found;
  await context.database.write((queries) =>
    requeueDeliveries(
      queries,
      { organizationId, ids, states: ['waiting', 'delivered', 'failed'] },
      { ...target, now: context.now() },
    ),
  );
  context.webhooks.wake();
  return readDelivery(context, caller, id);
}

/** API calls that send requests to other hosts must not be usable for attacks. */
export const limitWebhookCalls = (
  { limits }: Context,
  /** Undefined: all links of the organization. */
  linkId: number | undefined,
  organizationId: number,
): Promise<unknown> =>
  limits.reserve(
    [
      {
        key: linkId === undefined ? `webhook|all links|${organizationId}` : `webhook|link|${linkId}`,
        max: 10,
        window: 60_000,
      },
      { key: `webhook|organization|${organizationId}`, max: 60, window: 60_000 },
    ],
    'Ten tests and redeliveries a minute are enough for one link.',
  );

/** Few enough that no other change waits long for them. */
const perTransaction = 500;
/** Milliseconds after which a call reports how far it got instead of continuing. */
const maxTime = 5_000;

interface Redelivered {
  readonly redelivered: number;
  /** Those whose link has no webhook now. */
  readonly leftOut: number;
  /** When the first delivery was made that this call didn't reach; null if it reached all. */
  readonly continueFrom: number | null;
}

/** Sends failed deliveries of a time range again, each as `redeliver` does, oldest first. */
export async function redeliverFailed(
  context: Context,
  { organizationId }: Caller,
  span: Omit<FailedSpan, 'organizationId'>,
): Promise<Redelivered> {
  const { database, now, webhooks } = context;
  if (span.linkId !== undefined && !(await findLink(database.lookup, organizationId, span.linkId)))
    throw notFound('link');
  await limitWebhookCalls(context, span.linkId, organizationId);
  const began = performance.now();
  let redelivered = 0;
  let leftOut = 0;
  for (let last: FailedDelivery | undefined; ; ) {
    const some = await failedDeliveries(database.read, { ...span, organizationId }, last, perTransaction);
    const [first] = some;
    if (!first) return { redelivered, leftOut, continueFrom: null };
    if (performance.now() - began > maxTime) return { redelivered, leftOut, continueFrom: first.created_at };
    const requeued = await database.write(async (queries) => {
      const targets = await currentTargets(queries, some);
      let count = 0;
      for (const { ids, ...where } of targets)
        count += await requeueDeliveries(
          queries,
          { organizationId, ids, states: ['failed'] },
          { ...where, now: now() },
        );
      return { count, leftOut: some.length - targets.reduce((sum, { ids }) => sum + ids.length, 0) };
    });
    redelivered += requeued.count;
    leftOut += requeued.leftOut;
    webhooks.wake();
    last = some.at(-1);
  }
}

/** The current targets of these deliveries; deliveries without one are left out. */
async function currentTargets(
  queries: Queries,
  deliveries: readonly FailedDelivery[],
): Promise<readonly (Redelivery & { readonly ids: readonly number[] })[]> {
  const linkIds = [...new Set(deliveries.map(({ link_id }) => link_id))];
  const links = new Map((await hooksOfLinks(queries, linkIds)).map((link) => [link.id, link]));
  const found = deliveries.flatMap((delivery) => {
    const target = targetOf(delivery, links.get(delivery.link_id));
    return target ? [{ id: delivery.id, ...target }] : [];
  });
  return [
    ...Map.groupBy(found, ({ target_url, signing_key }) => `${target_url}\n${signing_key}`).values(),
  ].map((same) => ({
    target_url: same[0]?.target_url ?? '',
    signing_key: same[0]?.signing_key ?? null,
    ids: idsOf(same),
  }));
}

type Hooks = Pick<StoredLink, 'webhook_url' | 'webhook_auth_key' | 'zapier_hook_url'>;

/** Null if the link has no such webhook any more. A message about a deleted link goes to its old target. */
function targetOf(
  { event, target_url, signing_key }: Pick<StoredDelivery, 'event' | 'target_url' | 'signing_key'>,
  link: Hooks | undefined,
): Redelivery | null {
  if (!link) return { target_url, signing_key };
  const isZapier = event === zapierClick;
  const target = isZapier ? link.zapier_hook_url : link.webhook_url;
  return target === null
    ? null
    : { target_url: target, signing_key: isZapier ? null : link.webhook_auth_key };
}

export const noWebhook = (what: string): Refusal =>
  new Refusal('WEBHOOK_MISSING', `This link has no ${what} now. Set one first.`);
