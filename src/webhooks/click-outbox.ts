import { createHash } from 'node:crypto';
import type { FoldedClick } from '../ledger/click.ts';
import type { HitIdOf, HookedLink } from '../ledger/fold-store.ts';
import type { Site } from '../rules/site.ts';
import { readEvents } from '../rules/webhook-event.ts';
import type { NewDelivery } from '../storage/webhooks/webhook-queue.ts';
import { type AddressForm, clickBody, flatClick } from './payload.ts';

interface ClickOutboxSettings {
  readonly site: Pick<Site, 'domainUrl' | 'linkUrl'>;
  readonly addressForm: AddressForm;
  readonly now: number;
  /** The journal of the clicks: it and their positions in it are the same when it is folded again. */
  readonly journal: string;
  readonly hitIdOf: HitIdOf;
}

export const zapierClick = 'zapier.click';

/** The deliveries of these hits: only redirected human hits are clicks. */
export function clickDeliveries(
  clicks: readonly FoldedClick[],
  links: ReadonlyMap<number, HookedLink>,
  settings: ClickOutboxSettings,
): NewDelivery[] {
  return clicks.flatMap((click) => {
    const link = links.get(click.linkId);
    if (!link || click.class !== 'human' || click.outcome !== 'redirect') return [];
    const wantsWebhook = link.webhook_url !== null && readEvents(link.webhook_events).includes('click');
    if (!wantsWebhook && link.zapier_hook_url === null) return [];
    const id = messageId(settings.journal, click.position);
    const event = { click: { ...click, id: settings.hitIdOf(click.index) }, link, site: settings.site };
    const rows: NewDelivery[] = [];
    if (wantsWebhook && link.webhook_url !== null) {
      const body = JSON.stringify(clickBody(event, settings.addressForm));
      const message = { event: 'click', id: `msg_${id}`, body, key: link.webhook_auth_key };
      rows.push(delivery(link, link.webhook_url, message, settings.now));
    }
    if (link.zapier_hook_url !== null) {
      const body = JSON.stringify(flatClick(event, settings.addressForm));
      const message = { event: zapierClick, id: `zap_${id}`, body, key: null };
      rows.push(delivery(link, link.zapier_hook_url, message, settings.now));
    }
    return rows;
  });
}

interface NewMessage {
  readonly event: string;
  readonly id: string;
  readonly body: string;
  /** Sealed. */
  readonly key: string | null;
}

export function delivery(
  link: Pick<HookedLink, 'id' | 'organization_id'>,
  target: string,
  message: NewMessage,
  now: number,
): NewDelivery {
  return {
    created_at: now,
    organization_id: link.organization_id,
    link_id: link.id,
    event: message.event,
    message_id: message.id,
    target_url: target,
    body: message.body,
    signing_key: message.key,
    state: 'waiting',
    tries: 0,
    first_tried_at: null,
    next_try_at: now,
    claimed_until: null,
  };
}

/**
 * Not derived from the hit's id: a database that was restored from a backup assigns ids a second time, and a receiver would take
 * those messages for repetitions. Nor from its index in a batch: after a restore, the same hits come in other batches.
 */
const messageId = (journal: string, position: string): string =>
  `click_${createHash('sha256').update(`${journal}\n${position}`).digest('base64url').slice(0, 22)}`;
