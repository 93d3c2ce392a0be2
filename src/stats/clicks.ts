import type { StoredClick } from '../ledger/click.ts';
import { totalOf } from '../ledger/counts/counts.ts';
import type { HitFilter, Owner, StoredHit } from '../ledger/ledger.ts';
import { openTotals } from '../ledger/open-counts.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import {
  classes,
  devices,
  eachField,
  outcomes,
  reasons,
  rollupClasses,
  sources,
  targets,
  wordFields,
} from '../rules/click-fields.ts';
import { hourLength } from '../rules/durations.ts';
import { shownReason } from '../rules/reclassified.ts';
import type { Database } from '../storage/database.ts';
import type { Queries } from '../storage/schema.ts';
import { classesNamed } from './plan.ts';
import type { Range } from './range.ts';
import { wordsById } from './words.ts';

export type { StoredClick } from '../ledger/click.ts';
export type { Owner } from '../ledger/ledger.ts';

const [click, ...otherClasses] = rollupClasses;
/** The hits that a list contains: clicks, all hits, or one class. */
export const listedClasses = [click, 'all', 'human', ...otherClasses] as const;
type ListedClass = (typeof listedClasses)[number];

export interface ClickQuestion {
  readonly owner: Owner;
  readonly class: ListedClass;
  readonly range: Partial<Range>;
  /** The instant since which individual hits are kept: older ones may still exist, but aren't shown. */
  readonly rawSince: number;
}

interface ClickPage {
  readonly limit: number;
  readonly offset: number;
  readonly before: number | undefined;
}

/** Milliseconds that filling a page may take. */
const pageTime = 30;

export async function readClicks(
  database: Database,
  question: ClickQuestion,
  page: ClickPage,
): Promise<{
  readonly clicks: readonly StoredClick[];
  readonly total: number;
  /** The id before which the next page begins; null after the last one. */
  readonly next: number | null;
  /** How many hits the next page has to skip: the time for this one ran out before its offset was skipped. */
  readonly nextOffset: number;
  /** The time for a page ran out before it was full. */
  readonly isPartial: boolean;
}> {
  const ledger = openLedger(database);
  // Read before the hits are counted: otherwise hits that arrive between the count and the search would push the oldest ones out.
  const before = page.before ?? (await ledger.newestId()) + 1;
  const total = await countOf(database, question);
  // If few hits match, a search for more of them than exist would scan the whole ledger.
  const remaining = page.before === undefined ? total - page.offset : total;
  const limit = Math.min(page.limit + 1, remaining);
  const until = performance.now() + pageTime;
  const {
    hits: found,
    passed,
    stoppedAt,
  } = limit > 0
    ? await ledger.before(keptFilterOf(question), { ...page, before, limit, until })
    : { hits: [], passed: 0, stoppedAt: null };
  const hits = found.slice(0, page.limit);
  const next = found.length > hits.length ? (hits.at(-1)?.id ?? null) : stoppedAt;
  const isPartial = stoppedAt !== null;
  const nextOffset = isPartial ? page.offset - passed : 0;
  return { clicks: await withWords(database.read, hits), total, next, nextOffset, isPartial };
}

const exportPage = 500;
/** Milliseconds that an export searches for a page, of which few hits may match, before it goes on with what it found. */
const exportPageTime = 1_000;

/** All clicks, newest first, page by page: only one page is in memory. */
export async function* eachClick(
  database: Database,
  question: ClickQuestion,
): AsyncGenerator<readonly StoredClick[], void, undefined> {
  if (question.owner.links?.length === 0) return;
  const filter = keptFilterOf(question);
  const ledger = openLedger(database);
  for (let before: number | undefined; ; ) {
    const until = performance.now() + exportPageTime;
    const { hits, stoppedAt } = await ledger.before(filter, { before, limit: exportPage, offset: 0, until });
    yield await withWords(database.read, hits);
    if (stoppedAt === null && hits.length < exportPage) return;
    before = stoppedAt ?? hits.at(-1)?.id;
  }
}

/** An organization's hits after an id, oldest first, and the last id that was searched. */
export async function clicksAfter(
  database: Database,
  question: ClickQuestion,
  span: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<{ readonly clicks: readonly StoredClick[]; readonly searchedTo: number }> {
  const hits = await openLedger(database).after(keptFilterOf(question), span);
  const last = hits.length === span.limit ? hits.at(-1) : undefined;
  return {
    clicks: await withWords(database.read, hits),
    searchedTo: last?.id ?? Math.max(span.after, span.upTo),
  };
}

const filterOf = ({ owner, class: name, range }: ClickQuestion): HitFilter => ({
  owner,
  classes: name === 'all' ? undefined : classesNamed(name),
  ...range,
});

/** The same, restricted to hits that are kept. */
function keptFilterOf(question: ClickQuestion): HitFilter {
  const { from = question.rawSince } = question.range;
  return { ...filterOf(question), from: Math.max(from, question.rawSince) };
}

/** From the roll-ups, which also count hits that the ledger has deleted; from the hits only for partial hours. */
async function countOf(database: Database, question: ClickQuestion): Promise<number> {
  const filter = filterOf(question);
  const { owner, classes } = filter;
  const hours = { from: hoursOf(filter.from), to: hoursOf(filter.to) };
  const isWhole = [hours.from, hours.to].every((hour) => hour === undefined || Number.isInteger(hour));
  if (isWhole) return totalOf(openTotals(database, owner, classes), hours);
  const counts = await openLedger(database).count(keptFilterOf(question), 'class');
  return counts.reduce((sum, { hits }) => sum + hits, 0);
}

const hoursOf = (instant: number | undefined): number | undefined =>
  instant === undefined ? undefined : instant / hourLength;

async function withWords(queries: Queries, hits: readonly StoredHit[]): Promise<readonly StoredClick[]> {
  const ids = new Set(hits.flatMap((hit) => wordFields.map((field) => hit[field])));
  ids.delete(0);
  const words = await wordsById(queries, [...ids]);
  return hits.map((hit) => clickOf(hit, words));
}

const clickOf = (hit: StoredHit, words: ReadonlyMap<number, string>): StoredClick => ({
  id: hit.id,
  linkId: hit.link_id,
  at: hit.at,
  outcome: outcomes[hit.outcome] ?? 'unknown',
  target: hit.target === 0 ? null : (targets[hit.target] ?? null),
  class: classes[hit.class] ?? 'unknown',
  reason: reasons[shownReason(hit.reason)] ?? 'unknown',
  device: devices[hit.device] ?? 'other',
  source: sources[hit.source] ?? 'link',
  ...eachField(wordFields, (field) => words.get(hit[field]) ?? ''),
});
