import type { StoredClick } from '../ledger/click.ts';
import type { RandomBytes } from '../rules/random-text.ts';
import type { Site } from '../rules/site.ts';
import type { AllowList } from '../rules/webhook-allow.ts';
import { type LinkEvent, readEvents } from '../rules/webhook-event.ts';
import type { StoredLink } from '../storage/links/links.ts';
import type { Queries } from '../storage/schema.ts';
import { insertDeliveries, type NewAttempt, type NewDelivery } from '../storage/webhooks/webhook-queue.ts';
import { delivery, zapierClick } from './click-outbox.ts';
import { linkEventBody } from './link-event.ts';
import { type AddressForm, clickBody, flatClick } from './payload.ts';
import { sampleClick } from './sample-click.ts';

export { zapierClick };

/** What the control plane uses of the deliverer. */
export interface Webhooks {
  /** Non-public addresses that targets may have. */
  readonly allowed: AllowList;
  /** Polls the outbox at once, because something was added to it. */
  wake(): void;
  /** Makes one call now. Never rejects. */
  tryOnce(message: OutgoingMessage): Promise<NewAttempt>;
}

export type OutgoingMessage = Pick<NewDelivery, 'target_url' | 'message_id' | 'body' | 'signing_key'>;

/** The data of a message. Its receiver recognises repetitions by the message's id. */
interface MessageContext {
  readonly site: Site;
  readonly now: number;
  readonly messageId: string;
}

/** Of a message that is created now. */
export const messageContext = (
  { site, randomBytes }: { readonly site: Site; readonly randomBytes: RandomBytes },
  now: number,
): MessageContext => ({
  site,
  now,
  messageId: `msg_${Buffer.from(randomBytes(16)).toString('base64url')}`,
});

/**
 * Runs in the transaction of the event. Writes nothing for a link whose webhook isn't sent the event. `extraFields`: data of the
 * event besides the link.
 */
export async function enqueueLinkEvent(
  queries: Queries,
  event: LinkEvent,
  link: StoredLink,
  { site, now, messageId }: MessageContext,
  extraFields?: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (link.webhook_url === null || !readEvents(link.webhook_events).includes(event)) return;
  const body = JSON.stringify(linkEventBody(event, link, site, now, extraFields));
  const message = { event, id: messageId, body, key: link.webhook_auth_key };
  await insertDeliveries(queries, [delivery(link, link.webhook_url, message, now)]);
}

/** A made-up click for the link's webhook. */
export function sampleDelivery(
  link: StoredLink,
  target: string,
  form: AddressForm,
  { site, now, messageId }: MessageContext,
): NewDelivery {
  const { event, payload } = clickBody(sampleClick(link, site, now), form);
  const body = JSON.stringify({ event, payload: { ...payload, sample: true } });
  const message = { event, id: messageId, body, key: link.webhook_auth_key };
  return delivery(link, target, message, now);
}

/** The examples in Zapier's editor: objects in the form in which clicks are sent, real ones if there are any. */
export function zapierSample(link: StoredLink, clicks: readonly StoredClick[], site: Site, now: number) {
  if (clicks.length === 0) return [{ ...flatClick(sampleClick(link, site, now), 'shortened'), sample: true }];
  return clicks.map((click) => flatClick({ click, link, site }, 'none'));
}
