import { noWords } from '../rules/click-fields.ts';
import type { Site } from '../rules/site.ts';
import type { ClickEvent, ClickedLink } from './payload.ts';

/** Ids of real clicks begin at 1. */
const sampleId = 0;

/** A made-up click for trying out a receiver: like a real one in everything but its id. */
export const sampleClick = (link: ClickedLink, site: Site, at: number): ClickEvent => ({
  link,
  site,
  click: {
    ...noWords,
    id: sampleId,
    linkId: link.id,
    at,
    outcome: 'redirect',
    target: 'default',
    class: 'human',
    reason: 'browser',
    device: 'desktop',
    source: 'link',
    country: 'DE',
    os: 'Linux',
    browser: 'Chrome',
    browserVersion: '140',
    osVersion: '',
    language: 'de',
    referrer: 'example.com',
    utm_source: 'newsletter',
    utm_medium: 'email',
    utm_campaign: 'spring',
    // From a range reserved for documentation.
    address: '203.0.113.77',
    userAgent:
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  },
});
