import type { RawHit } from '../../src/journal/hit.ts';
import { dayLength } from '../../src/rules/durations.ts';
import { type FoldRun, foldJournals, journalIn } from '../fold-journals.ts';
import { agentAt, plainHit, writeJournal } from '../hit-mix.ts';
import { seededRandom, zipf } from '../redirect/zipf.ts';

export const days = 90;
export const links = 2_000;
/** This link has a tenth of all hits. */
export const busyLink = 1;
/** The number of prefetches, however many hits there are. */
export const prefetches = 3;

const hitsPerJournal = 1_000_000;
const countries = 'US DE GB FR IN BR JP CA AU NL ES IT PL SE MX TR ID KR ZA AR CH AT BE DK FI NO PT IE CZ GR'
  .split(' ')
  .concat(Array.from({ length: 90 }, (_, index) => `${'ABCEGKLMS'[index % 9]}${'ABDEGILMNR'[index % 10]}`));
const languages = ['en-US,en;q=0.9', 'en-GB,en;q=0.8', 'de-DE,de;q=0.9', 'fr-FR', 'es-ES', 'pt-BR', 'ja', ''];
const preview = 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)';

/**
 * Hits of three months on 2,000 links, one of which has a tenth of them: over a hundred countries, seven browsers, 400 referrers,
 * sixty campaigns, machines, previews, scanned QR codes.
 */
function* monthsOfHits(count: number, until: number, organizationId: number): Generator<RawHit> {
  const random = seededRandom(23);
  const linkOf = zipf(links - 1);
  const countryOf = zipf(countries.length);
  const siteOf = zipf(400);
  for (let index = 0; index < count; index++) {
    const visitor = Math.floor(random() * 200_000);
    const kind = random();
    const isPrefetch = index % Math.ceil(count / prefetches) === 7;
    const campaign = random() < 0.25 ? Math.floor(random() * 60) : -1;
    const tags =
      campaign < 0
        ? ''
        : `?utm_source=${['mail', 'social', 'ads'][campaign % 3]}&utm_medium=m${campaign % 5}&utm_campaign=week-${campaign}`;
    yield {
      ...plainHit,
      linkId: random() < 0.1 ? busyLink : 2 + linkOf(random()),
      organizationId,
      at: Math.floor(until - days * dayLength + (days * dayLength * index) / count),
      target: kind > 0.9 ? 'android' : 'default',
      address: `${81 + (visitor % 90)}.${(visitor >> 8) & 255}.${visitor & 255}.${visitor % 251}`,
      userAgent: kind < 0.03 ? preview : agentAt(visitor % 2_000),
      acceptLanguage: languages[visitor % languages.length] ?? '',
      referer: random() < 0.45 ? `https://site-${siteOf(random())}.example.org/page` : '',
      query: tags === '' && kind > 0.5 && kind < 0.54 ? '?qr' : tags,
      purpose: isPrefetch ? 'prefetch' : '',
      countryHint: countries[countryOf(random())] ?? '',
    };
  }
}

/** Folds months of hits journal by journal, as if the server had been restarted after each. */
export async function foldMonths(
  dataDir: string,
  organizationId: number,
  count: number,
  databaseUrl = '',
  clicksUrl = '',
): Promise<Pick<FoldRun, 'seconds' | 'cpu'>> {
  const effort = { seconds: 0, cpu: 0 };
  const hits = monthsOfHits(count, Date.now(), organizationId);
  for (let remaining = count; remaining > 0; remaining -= hitsPerJournal) {
    const folder = journalIn(dataDir, `left${remaining}`);
    writeJournal(folder, takeNext(hits, Math.min(remaining, hitsPerJournal)));
    const { seconds, cpu } = await foldJournals(dataDir, databaseUrl, clicksUrl);
    effort.seconds += seconds;
    effort.cpu += cpu;
  }
  return effort;
}

/** The next `count` values of a generator, which stays usable afterwards. */
function* takeNext<T>(generator: Generator<T>, count: number): Generator<T> {
  for (let index = 0; index < count; index++) {
    const { value, done } = generator.next();
    if (done) return;
    yield value;
  }
}
