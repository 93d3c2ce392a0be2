import ipaddr from 'ipaddr.js';
import type { ClickDetails, StoredClick } from '../ledger/click.ts';
import { readAddress, unmapped } from '../rules/address-rules.ts';
import { eachField, originFields } from '../rules/click-fields.ts';
import { formatIso } from '../rules/instant.ts';
import { variantIdOf } from '../rules/link-rules/matched-rule.ts';
import { readRules } from '../rules/link-rules/rule-fields.ts';
import { cityNameOf } from '../rules/place.ts';
import type { Site } from '../rules/site.ts';
import { visitedAddress } from '../rules/visited-address.ts';
import type { StoredLink } from '../storage/links/links.ts';

export type ClickedLink = Pick<
  StoredLink,
  'id' | 'suffix' | 'host' | 'destination_url' | 'android_url' | 'ios_url' | 'rules'
>;

/** A click on a link; without details if it comes from the ledger. */
export interface ClickEvent {
  readonly click: StoredClick & Partial<ClickDetails>;
  readonly link: ClickedLink;
  readonly site: Pick<Site, 'domainUrl' | 'linkUrl'>;
}

export type AddressForm = 'full' | 'shortened' | 'none';

const unknown = 'Unknown';
/** The ledger's code for an address without a known country. */
const noCountry = 'XX';

export const clickBody = (event: ClickEvent, form: AddressForm) => ({
  event: 'click' as const,
  payload: clickPayload(event, form),
});

/** For Zapier, which reads one level and recognises repetitions by `id`. */
export const flatClick = (event: ClickEvent, form: AddressForm) => ({
  event: 'click' as const,
  ...clickPayload(event, form),
});

/** Every key is always present, and every missing text is the same word: a receiver needs no second case. */
function clickPayload({ click, link, site }: ClickEvent, form: AddressForm) {
  return {
    id: click.id,
    link_id: link.id,
    domain: site.domainUrl(link.host),
    suffix: link.suffix,
    url: site.linkUrl(link.host, link.suffix),
    address: click.alias || visitedAddress(new URL(site.domainUrl(link.host)).hostname, link.suffix),
    destination: destinationOf(click, link),
    rule: click.rule || unknown,
    variant: variantIdOf(click.variant) || unknown,
    clicked_at: formatIso(click.at),
    ip_address: addressShown(click.address ?? '', form) ?? unknown,
    user_agent: click.userAgent || unknown,
    country: click.country === noCountry ? unknown : click.country || unknown,
    region: click.region || unknown,
    city: cityNameOf(click.city) || unknown,
    browser: click.browser || unknown,
    browser_version: click.browserVersion || unknown,
    os: click.os || unknown,
    os_version: click.osVersion || unknown,
    device: click.device || unknown,
    language: click.language || unknown,
    ...eachField(originFields, (field) => click[field] || unknown),
    class: click.class,
    reason: click.reason || unknown,
    source: click.source || unknown,
  };
}

/** A link that changed between a click and its fold has its current destination. */
function destinationOf({ target, rule, variant }: ClickEvent['click'], link: ClickedLink): string {
  if (target === 'rule') return destinationBy(rule, variantIdOf(variant), link) ?? unknown;
  if (target === 'android') return link.android_url ?? link.destination_url;
  if (target === 'ios') return link.ios_url ?? link.destination_url;
  return link.destination_url;
}

function destinationBy(ruleId: string, variantId: string, link: ClickedLink): string | undefined {
  const rule = readRules(link.rules).find(({ id }) => id === ruleId);
  return rule?.destination_url ?? rule?.variants?.find(({ id }) => id === variantId)?.destination_url;
}

/** Shortened, an address names a network: the /24 of IPv4, the /48 of IPv6. Null if there is nothing to show. */
export function addressShown(text: string, form: AddressForm): string | null {
  const read = form === 'none' ? null : readAddress(text.split('%')[0] ?? '');
  if (!read) return null;
  const address = unmapped(read);
  if (form === 'full') return address.toString();
  const bytes = address.toByteArray();
  const kept = address.kind() === 'ipv4' ? 3 : 6;
  return ipaddr.fromByteArray(bytes.map((byte, index) => (index < kept ? byte : 0))).toString();
}
