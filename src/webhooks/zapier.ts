import type { StoredClick } from '../ledger/click.ts';
import type { Site } from '../rules/site.ts';
import type { StoredLink } from '../storage/links.ts';
import { flatClick } from './payload.ts';
import { sampleClick } from './sample-click.ts';

/** The examples in Zapier's editor: objects in the form in which clicks are sent, real ones if there are any. */
export function zapierSample(link: StoredLink, clicks: readonly StoredClick[], site: Site, now: number) {
  if (clicks.length === 0) return [{ ...flatClick(sampleClick(link, site, now), 'shortened'), sample: true }];
  return clicks.map((click) => flatClick({ click, link, site }, 'none'));
}
