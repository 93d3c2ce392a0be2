import { createHash } from 'node:crypto';
import type { LinkWithHooks } from '../ledger/fold-store.ts';
import type { HitIdOf } from '../ledger/hit-ids.ts';
import type { Site } from '../rules/site.ts';
import { readEvents } from '../rules/webhook-event.ts';
import type { NewDelivery } from '../storage/webhook-queue.ts';
import { type AddressForm, type ClickEvent, clickBody, flatClick } from './payload.ts';

export type { NewDelivery };

/** A hit as the fold has it: what the ledger keeps, and what only webhooks are told. Texts are '' when unknown. */
export interface FoldedClick {
  /** Its index among the hits of its batch, in the order in which they came. */
  readonly index: number;
  readonly linkId: number;
  readonly at: number;
  readonly outcome: string;
  readonly target: 'default' | 'android' | 'ios' | null;
  readonly class: string;
  readonly reason: string;
  readonly country: string;
  readonly device: string;
  readonly os: string;
  readonly osVersion: string;
  readonly browser: string;
  readonly browserVersion: string;
  readonly language: string;
  readonly referrerHost: string;
  readonly utmSource: string;
  readonly utmMedium: string;
  readonly utmCampaign: string;
  readonly utmTerm: string;
  readonly utmContent: string;
  readonly source: string;
  readonly address: string;
  readonly userAgent: string;
}

export interface ClickOutboxSettings {
  readonly site: Pick<Site, 'domainUrl' | 'linkUrl'>;
  readonly addressForm: AddressForm;
  readonly now: number;
  /** What no other call is given, and a repetition of this call is again, such as node, segment and offset. */
  readonly batch: string;
  readonly hitIdOf: HitIdOf;
}

export const zapierClick = 'zapier.click';

/** What is to be delivered of these hits: only people who were redirected are clicks. */
export function clickDeliveries(
  clicks: readonly FoldedClick[],
  links: ReadonlyMap<number, LinkWithHooks>,
  settings: ClickOutboxSettings,
): NewDelivery[] {
  return clicks.flatMap((click) => {
    const link = links.get(click.linkId);
    if (!link || click.class !== 'human' || click.outcome !== 'redirect') return [];
    const wantsWebhook = link.webhookUrl !== null && readEvents(link.webhookEvents).includes('click');
    if (!wantsWebhook && link.zapierHookUrl === null) return [];
    const id = messageId(settings.batch, click.index);
    const event = clickEvent(settings.hitIdOf(click.index), click, link, settings.site);
    const rows: NewDelivery[] = [];
    if (wantsWebhook && link.webhookUrl !== null) {
      const body = JSON.stringify(clickBody(event, settings.addressForm));
      const message = { event: 'click', id: `msg_${id}`, body, key: link.signingKey };
      rows.push(delivery(link, link.webhookUrl, message, settings.now));
    }
    if (link.zapierHookUrl !== null) {
      const body = JSON.stringify(flatClick(event, settings.addressForm));
      const message = { event: zapierClick, id: `zap_${id}`, body, key: null };
      rows.push(delivery(link, link.zapierHookUrl, message, settings.now));
    }
    return rows;
  });
}

export interface NewMessage {
  readonly event: string;
  readonly id: string;
  readonly body: string;
  /** Sealed. */
  readonly key: string | null;
}

export function delivery(
  link: Pick<LinkWithHooks, 'id' | 'organizationId'>,
  target: string,
  message: NewMessage,
  now: number,
): NewDelivery {
  return {
    created_at: now,
    organization_id: link.organizationId,
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
 * Not the hit's own id: a database that was restored from a backup gives out ids a second time, and a receiver would take
 * those messages for repetitions.
 */
const messageId = (batch: string, index: number): string =>
  `click_${createHash('sha256').update(`${batch}\n${index}`).digest('base64url').slice(0, 22)}`;

function clickEvent(
  id: number,
  click: FoldedClick,
  link: LinkWithHooks,
  site: ClickOutboxSettings['site'],
): ClickEvent {
  return {
    id,
    linkId: link.id,
    domain: site.domainUrl(link.host),
    suffix: link.suffix,
    url: site.linkUrl(link.host, link.suffix),
    destination: destinationOf(click.target, link),
    clickedAt: click.at,
    address: click.address,
    userAgent: click.userAgent,
    country: click.country,
    region: null,
    city: null,
    browser: click.browser,
    browserVersion: click.browserVersion,
    os: click.os,
    osVersion: click.osVersion,
    device: click.device,
    language: click.language,
    referrer: click.referrerHost,
    utmSource: click.utmSource,
    utmMedium: click.utmMedium,
    utmCampaign: click.utmCampaign,
    utmTerm: click.utmTerm,
    utmContent: click.utmContent,
    class: click.class,
    reason: click.reason,
    source: click.source,
  };
}

/** A link that changed between a click and its fold has the destination of now. */
function destinationOf(target: FoldedClick['target'], link: LinkWithHooks): string {
  if (target === 'android') return link.androidUrl ?? link.destinationUrl;
  if (target === 'ios') return link.iosUrl ?? link.destinationUrl;
  return link.destinationUrl;
}
