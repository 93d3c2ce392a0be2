import ipaddr from 'ipaddr.js';
import { readAddress, unmapped } from '../rules/address-rules.ts';
import { formatIso } from '../rules/instant.ts';

/** A click as a webhook tells it. Null is what the visitor, or our data, did not say. */
export interface ClickEvent {
  /** That of the hit in the ledger: lists, exports and the live stream show the same. */
  readonly id: number;
  readonly linkId: number;
  readonly domain: string;
  readonly suffix: string;
  readonly url: string;
  readonly destination: string | null;
  readonly clickedAt: number;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly browser: string | null;
  readonly browserVersion: string | null;
  readonly os: string | null;
  readonly osVersion: string | null;
  readonly device: string | null;
  readonly language: string | null;
  readonly referrer: string | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly utmTerm: string | null;
  readonly utmContent: string | null;
  readonly class: string;
  readonly reason: string | null;
  readonly source: string | null;
}

export type AddressForm = 'full' | 'shortened' | 'none';

const unknown = 'Unknown';
/** What the ledger keeps for an address that no country is known of. */
const noCountry = 'XX';

export const clickBody = (click: ClickEvent, form: AddressForm) => ({
  event: 'click' as const,
  payload: clickPayload(click, form),
});

/** For Zapier, which reads one level and tells repetitions by `id`. */
export const flatClick = (click: ClickEvent, form: AddressForm) => ({
  event: 'click' as const,
  ...clickPayload(click, form),
});

/** Every key is always there, and every missing text is the same word: a receiver needs no second case. */
function clickPayload(click: ClickEvent, form: AddressForm) {
  return {
    id: click.id,
    link_id: click.linkId,
    domain: click.domain,
    suffix: click.suffix,
    url: click.url,
    destination: click.destination || unknown,
    clicked_at: formatIso(click.clickedAt),
    ip_address: addressShown(click.address, form) ?? unknown,
    user_agent: click.userAgent || unknown,
    country: click.country === noCountry ? unknown : click.country || unknown,
    region: click.region || unknown,
    city: click.city || unknown,
    browser: click.browser || unknown,
    browser_version: click.browserVersion || unknown,
    os: click.os || unknown,
    os_version: click.osVersion || unknown,
    device: click.device || unknown,
    language: click.language || unknown,
    referrer: click.referrer || unknown,
    utm_source: click.utmSource || unknown,
    utm_medium: click.utmMedium || unknown,
    utm_campaign: click.utmCampaign || unknown,
    utm_term: click.utmTerm || unknown,
    utm_content: click.utmContent || unknown,
    class: click.class,
    reason: click.reason || unknown,
    source: click.source || unknown,
  };
}

/** Shortened, an address names a network: the /24 of IPv4, the /48 of IPv6. Null when there is nothing to show. */
export function addressShown(text: string | null, form: AddressForm): string | null {
  const read = form === 'none' || text === null ? null : readAddress(text.split('%')[0] ?? '');
  if (!read) return null;
  const address = unmapped(read);
  if (form === 'full') return address.toString();
  const bytes = address.toByteArray();
  const kept = address.kind() === 'ipv4' ? 3 : 6;
  return ipaddr.fromByteArray(bytes.map((byte, index) => (index < kept ? byte : 0))).toString();
}
