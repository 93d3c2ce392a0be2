import type { Site } from '../rules/site.ts';
import type { StoredLink } from '../storage/links.ts';
import type { ClickEvent } from './payload.ts';

/** Ids of real clicks begin at 1. */
const sampleId = 0;

/** A click that nobody made, for trying a receiver out: like a real one in everything but its id. */
export const sampleClick = (link: StoredLink, site: Site, at: number): ClickEvent => ({
  id: sampleId,
  linkId: link.id,
  domain: site.domainUrl(link.host),
  suffix: link.suffix,
  url: site.linkUrl(link.host, link.suffix),
  destination: link.destination_url,
  clickedAt: at,
  // Of the range for documentation: nobody's.
  address: '203.0.113.77',
  userAgent:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  country: 'DE',
  region: null,
  city: null,
  browser: 'Chrome',
  browserVersion: '140.0.0.0',
  os: 'Linux',
  osVersion: null,
  device: 'desktop',
  language: 'de',
  referrer: 'example.com',
  utmSource: 'newsletter',
  utmMedium: 'email',
  utmCampaign: 'spring',
  utmTerm: null,
  utmContent: null,
  class: 'human',
  reason: 'browser',
  source: 'link',
});
