import type { Site } from '../rules/site.ts';
import type { StoredLink } from '../storage/links.ts';
import { type ClickEvent, flatClick } from './payload.ts';
import { sampleClick } from './sample-click.ts';

/** A click as the ledger keeps it: who made it is not in there. */
export interface LedgerClick {
  readonly id: number;
  readonly at: number;
  readonly destination: string | null;
  readonly class: string;
  readonly reason: string;
  readonly country: string | null;
  readonly device: string;
  readonly os: string | null;
  readonly browser: string | null;
  readonly language: string | null;
  readonly referrer: string | null;
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly utmTerm: string | null;
  readonly utmContent: string | null;
  readonly source: string;
}

/** What Zapier's editor shows: objects of the very form in which clicks come, real ones where there are any. */
export function zapierSample(link: StoredLink, clicks: readonly LedgerClick[], site: Site, now: number) {
  if (clicks.length === 0) return [{ ...flatClick(sampleClick(link, site, now), 'shortened'), sample: true }];
  return clicks.map((click) => flatClick(eventOf(click, link, site), 'none'));
}

function eventOf(click: LedgerClick, link: StoredLink, site: Site): ClickEvent {
  const { at, destination, ...known } = click;
  return {
    ...known,
    linkId: link.id,
    domain: site.domainUrl(link.host),
    suffix: link.suffix,
    url: site.linkUrl(link.host, link.suffix),
    destination: destinationOf(destination, link),
    clickedAt: at,
    address: null,
    userAgent: null,
    region: null,
    city: null,
    browserVersion: null,
    osVersion: null,
  };
}

function destinationOf(target: string | null, link: StoredLink): string {
  if (target === 'android') return link.android_url ?? link.destination_url;
  if (target === 'ios') return link.ios_url ?? link.destination_url;
  return link.destination_url;
}
