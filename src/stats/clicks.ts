import { outcomes, targets } from '../journal/hit.ts';
import { classes, devices, dimensions, hourLength, reasons, sources } from '../ledger/codes.ts';
import { totalOf } from '../ledger/counts.ts';
import type { HitFilter, StoredHit } from '../ledger/ledger.ts';
import { openCounts } from '../ledger/open-counts.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import type { Owner } from '../ledger/owner.ts';
import type { Database } from '../storage/database.ts';
import type { Queries } from '../storage/schema.ts';
import { classesNamed } from './plan.ts';
import type { Range } from './range.ts';
import { wordsByNumber } from './words.ts';

export type { Owner } from '../ledger/owner.ts';

/** What the lists of hits can be asked for: clicks, all hits, or one class. */
export const listedClasses = [
  'click',
  'all',
  'human',
  'page',
  'preview',
  'bot',
  'prefetch',
  'head',
  'repeat',
] as const;
export type ListedClass = (typeof listedClasses)[number];

/** A hit as its owner sees it: nothing here leads to an address, nor from one day's visitor to the next's. */
export interface Click {
  readonly id: number;
  readonly linkId: number;
  readonly at: number;
  readonly outcome: string;
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

export interface ClickQuestion {
  readonly owner: Owner;
  readonly class: ListedClass;
  readonly range: Partial<Range>;
}

export interface ClickPage {
  readonly limit: number;
  readonly offset: number;
  readonly before: number | undefined;
}

export async function readClicks(
  database: Database,
  question: ClickQuestion,
  page: ClickPage,
): Promise<{
  readonly clicks: readonly Click[];
  readonly total: number;
  /** The id before which the next page begins; null behind the last one. */
  readonly next: number | null;
}> {
  const filter = filterOf(question);
  const total = await countOf(database, filter);
  // Where few match, the search for more than there are would go through the whole ledger.
  const left = page.before === undefined ? total - page.offset : total;
  const limit = Math.min(page.limit + 1, left);
  const found = limit > 0 ? await openLedger(database).before(filter, { ...page, limit }) : [];
  const hits = found.slice(0, page.limit);
  const next = found.length > hits.length ? (hits.at(-1)?.id ?? null) : null;
  return { clicks: await named(database.read, hits), total, next };
}

const exportPage = 500;

/** All of them, newest first, in pages: memory is that of one page. */
export async function* eachClick(
  database: Database,
  question: ClickQuestion,
): AsyncGenerator<readonly Click[], void, undefined> {
  const filter = filterOf(question);
  const ledger = openLedger(database);
  for (let before: number | undefined; ; ) {
    const hits = await ledger.before(filter, { before, limit: exportPage, offset: 0 });
    yield await named(database.read, hits);
    if (hits.length < exportPage) return;
    before = hits.at(-1)?.id;
  }
}

/** An organization's hits after an id, oldest first. */
export async function clicksAfter(
  database: Database,
  question: ClickQuestion,
  span: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<readonly Click[]> {
  return named(database.read, await openLedger(database).after(filterOf(question), span));
}

const filterOf = ({ owner, class: name, range }: ClickQuestion): HitFilter => ({
  owner,
  classes: name === 'all' ? undefined : classesNamed(name),
  ...range,
});

/** From the roll-ups, which also have hits that the ledger no longer keeps; from the hits only where hours are cut. */
async function countOf(database: Database, filter: HitFilter): Promise<number> {
  const { owner, classes } = filter;
  const hours = { from: hoursOf(filter.from), to: hoursOf(filter.to) };
  const isWhole = [hours.from, hours.to].every((hour) => hour === undefined || Number.isInteger(hour));
  if (isWhole) {
    const total = dimensions.indexOf('total');
    const counts = openCounts(database, owner, {
      kind: 'rollups',
      dimension: total,
      value: undefined,
      classes,
    });
    return totalOf(counts, hours);
  }
  const counts = await openLedger(database).count(filter, 'class');
  return counts.reduce((sum, { hits }) => sum + hits, 0);
}

const hoursOf = (instant: number | undefined): number | undefined =>
  instant === undefined ? undefined : instant / hourLength;

const wordColumns = [
  'country',
  'os',
  'browser',
  'language',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const;

async function named(queries: Queries, hits: readonly StoredHit[]): Promise<readonly Click[]> {
  const numbers = new Set(hits.flatMap((hit) => wordColumns.map((column) => hit[column])));
  numbers.delete(0);
  const words = await wordsByNumber(queries, [...numbers]);
  return hits.map((hit) => clickOf(hit, (number) => words.get(number) || null));
}

const clickOf = (hit: StoredHit, word: (number: number) => string | null): Click => ({
  id: hit.id,
  linkId: hit.link_id,
  at: hit.at,
  outcome: outcomes[hit.outcome] ?? 'unknown',
  destination: hit.target === 0 ? null : (targets[hit.target] ?? null),
  class: classes[hit.class] ?? 'unknown',
  reason: reasons[hit.reason] ?? 'unknown',
  country: word(hit.country),
  device: devices[hit.device] ?? 'other',
  os: word(hit.os),
  browser: word(hit.browser),
  language: word(hit.language),
  referrer: word(hit.referrer),
  utmSource: word(hit.utm_source),
  utmMedium: word(hit.utm_medium),
  utmCampaign: word(hit.utm_campaign),
  utmTerm: word(hit.utm_term),
  utmContent: word(hit.utm_content),
  source: sources[hit.source] ?? 'link',
});
