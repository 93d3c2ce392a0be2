import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { firefox } from '../../../test/support/agents-of-people.ts';
import { hitText } from '../../../test/support/hit-text.ts';
import type { RawHit } from '../../journal/hit.ts';
import {
  classes,
  devices,
  dimensions,
  hitColumns,
  outcomes,
  reasons,
  rollupClasses,
  sources,
  targets,
} from '../../rules/click-fields.ts';
import { dayLength } from '../../rules/durations.ts';
import { dayOf, dayOfHour, hourOf } from '../../rules/utc-time.ts';
import { classOf, eachCount, reasonOf } from '../counts/hour-counts.ts';
import { type BuiltBatch, linkHourColumns } from '../fold-store.ts';
import { DailySalts } from '../visitors/visitor-hash.ts';
import { BatchBuilder } from './batch-builder.ts';
import { type EnrichedHit, enrich, enrichParts } from './enrich.ts';
import { HitBatch } from './hit-batch.ts';
import { noClicks } from './recent-clicks.ts';
import { RepeatFinder } from './repeat-finder.ts';
import { SeenVisitors } from './seen-visitors.ts';
import { ValueLimit } from './value-limit.ts';
import { WordIds } from './word-ids.ts';

const noon = Date.UTC(2026, 5, 1, 12);
const repeatWindow = 2_000;

const salts = new DailySalts(
  { settle: async (_day, fresh) => fresh, forgetBefore: async () => {} },
  (count) => new Uint8Array(count).fill(7),
);
for (const day of [0, 1]) await salts.prepare(dayOf(noon) + day);
const parts = enrichParts({
  placeOf: (address) =>
    address.endsWith('1')
      ? { country: 'DE', region: 'DE-BY', city: 'Munich' }
      : { country: 'FR', region: '', city: address.includes(':') ? 'Paris' : '' },
  isOwnHost: (host) => host === 'go.example.org',
  salts,
});

/** The id of a word in storage. */
const wordIdOf = (word: string): number =>
  word === '' ? 0 : 1 + Number(BigInt.asUintN(30, BigInt(Bun.hash(word))));
const settle = (words: WordIds) =>
  words.fetchIds({
    newestSweep: async () => 0,
    wordIds: async (missing) => new Map(missing.map((word) => [word, wordIdOf(word)])),
  });

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

/** A link always belongs to one organization. */
const anyHitOn = (links: number, origins: boolean): fc.Arbitrary<RawHit> =>
  fc
    .record({
      linkId: fc.integer({ min: 1, max: links }),
      at: fc.oneof(
        fc.integer({ min: noon, max: noon + 30_000 }),
        fc.integer({ min: noon, max: noon + dayLength }),
      ),
      outcome: fc.constantFrom(...outcomes, 'redirect', 'redirect', 'redirect', 'redirect'),
      target: fc.constantFrom(null, 'default', 'default', 'ios'),
      // A hit without a method is a click of a quiet link.
      method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', ''),
      address: fc.constantFrom('198.51.100.1', '198.51.100.2', '2001:db8::1'),
      userAgent: fc.constantFrom(firefox, iphone, 'curl/8.5.0'),
      acceptLanguage: fc.constantFrom('', 'de-CH,de;q=0.9', 'pt'),
      referer: origins ? fc.constantFrom('', 'https://www.example.com/x') : fc.constant(''),
      query: origins
        ? fc.constantFrom('', '?qr', '?utm_source=mail&utm_campaign=a', '?utm_term=t&utm_content=c')
        : fc.constant(''),
      purpose: fc.constant(''),
      clientHints: fc.constantFrom(0, 77),
      headerEvidence: fc.constant('none'),
      doNotTrack: fc.boolean(),
      countryHint: fc.constantFrom('', '', 'CH', 'DE'),
      matchedRule: fc.constantFrom('', '', 'r_a1b2c', 'mine/b'),
      alias: fc.constantFrom('', 'go.example.com/old', 'x.example/ü/2'),
    })
    .map((hit) => ({ ...hit, organizationId: 1 + (hit.linkId % 3) }));

const anyHits = fc
  .tuple(fc.constantFrom(1, 4, 300), fc.boolean())
  .chain(([links, origins]) =>
    fc.array(anyHitOn(links, origins), { minLength: 1, maxLength: 300, size: 'max' }),
  );

/** What a hit is counted under: dimension, class in the roll-ups, value. */
function countsOf(hit: EnrichedHit): [dimension: string, rollup: string, value: number][] {
  const isClick = hit.class === 'human' && hit.outcome === 'redirect';
  const rollup = isClick ? 'click' : hit.class === 'human' ? 'page' : hit.class;
  if (!isClick)
    return [
      ['total', rollup, 0],
      ['reason', rollup, reasons.indexOf(hit.reason)],
    ];
  return [
    ['total', 'click', 0],
    ['country', 'click', wordIdOf(hit.country)],
    ['device', 'click', devices.indexOf(hit.device)],
    ['os', 'click', wordIdOf(hit.os)],
    ['browser', 'click', wordIdOf(hit.browser)],
    ['language', 'click', wordIdOf(hit.language)],
    ['referrer', 'click', wordIdOf(hit.referrer)],
    ['utm_source', 'click', wordIdOf(hit.utm_source)],
    ['utm_medium', 'click', wordIdOf(hit.utm_medium)],
    ['utm_campaign', 'click', wordIdOf(hit.utm_campaign)],
    ['destination', 'click', targets.indexOf(hit.target ?? 'none')],
    ['source', 'click', sources.indexOf(hit.source)],
    ['utm_term', 'click', wordIdOf(hit.utm_term)],
    ['utm_content', 'click', wordIdOf(hit.utm_content)],
    ['rule', 'click', wordIdOf(hit.rule)],
    ['variant', 'click', wordIdOf(hit.variant)],
    ['region', 'click', wordIdOf(hit.region)],
    ['city', 'click', wordIdOf(hit.city)],
    ['address', 'click', wordIdOf(hit.alias)],
  ];
}

/** Dimensions for whose value 0 organizations have no rows. */
const sparse = ['utm_term', 'utm_content', 'rule', 'variant', 'region', 'city', 'address'];

class Counts extends Map<string, number> {
  count(key: string, hits = 1): void {
    this.set(key, (this.get(key) ?? 0) + hits);
  }
}

function expectedCounts(hits: readonly EnrichedHit[], quiet: readonly RawHit[]) {
  const [ofLinks, ofOrganizations, linkClicks] = [new Counts(), new Counts(), new Map<number, number[]>()];
  for (const hit of hits) {
    const hour = hourOf(hit.at);
    for (const [dimension, rollup, value] of countsOf(hit)) {
      if (value !== 0 || dimension === 'total' || dimension === 'reason')
        ofLinks.count(`${hit.linkId} ${hour} ${dimension} ${rollup} ${value}`);
      if (value !== 0 || !sparse.includes(dimension))
        ofOrganizations.count(`${hit.organizationId} ${dimension} ${hour} ${rollup} ${value}`);
      if (dimension !== 'total' || rollup !== 'click') continue;
      const [clicks = 0, last = 0] = linkClicks.get(hit.linkId) ?? [];
      linkClicks.set(hit.linkId, [clicks + 1, Math.max(last, hit.at)]);
    }
  }
  for (const { linkId } of quiet) {
    const [clicks = 0, last = 0] = linkClicks.get(linkId) ?? [];
    linkClicks.set(linkId, [clicks + 1, last]);
  }
  return { ofLinks, ofOrganizations, linkClicks };
}

function rowsOf(numbers: Float64Array, width: number): number[][] {
  return Array.from({ length: numbers.length / width }, (_, row) => [
    ...numbers.subarray(row * width, (row + 1) * width),
  ]);
}

function expectInOrder(keys: readonly (readonly number[])[]): void {
  for (const [row, key] of keys.entries()) {
    const before = keys[row - 1];
    const differing = before?.findIndex((cell, index) => cell !== key[index]) ?? 0;
    if (before !== undefined) expect(before[differing]).toBeLessThan(key[differing] ?? 0);
  }
}

function countsIn(batch: BuiltBatch) {
  const ofLinks = new Counts();
  const hours = rowsOf(batch.linkHours.numbers, linkHourColumns.length);
  for (const [row, [link, hour, ...ofClasses]] of hours.entries()) {
    for (const [index, hits] of ofClasses.entries())
      if (hits > 0) ofLinks.count(`${link} ${hour} total ${rollupClasses[index]} 0`, hits);
    eachCount(batch.linkHours.counts[row] ?? '', (dimension, value, hits) => {
      const name = dimensions[dimension];
      const isReason = name === 'reason';
      const rollup = isReason ? rollupClasses[classOf(value)] : 'click';
      ofLinks.count(`${link} ${hour} ${name} ${rollup} ${isReason ? reasonOf(value) : value}`, hits);
    });
  }
  const ofOrganizations = new Counts();
  const rows = rowsOf(batch.organizationRollups, 6);
  for (const [id, dimension, hour, rollup, value, hits] of rows)
    ofOrganizations.count(
      `${id} ${dimensions[dimension ?? -1]} ${hour} ${rollupClasses[rollup ?? -1]} ${value}`,
      hits,
    );
  expectInOrder(hours.map((row) => row.slice(0, 2)));
  expectInOrder(rows.map((row) => row.slice(0, 5)));
  const clicks = rowsOf(batch.linkClicks, 3);
  expectInOrder(clicks);
  return {
    ofLinks,
    ofOrganizations,
    linkClicks: new Map(clicks.map(([link = 0, ...rest]) => [link, rest])),
  };
}

const rowOf = (hit: EnrichedHit): number[] => [
  hit.linkId,
  hit.organizationId,
  hit.at,
  outcomes.indexOf(hit.outcome),
  targets.indexOf(hit.target ?? 'none'),
  classes.indexOf(hit.class),
  reasons.indexOf(hit.reason),
  devices.indexOf(hit.device),
  sources.indexOf(hit.source),
  ...[hit.country, hit.os, hit.browser, hit.language, hit.referrer].map(wordIdOf),
  ...[
    hit.utm_source,
    hit.utm_medium,
    hit.utm_campaign,
    hit.utm_term,
    hit.utm_content,
    hit.rule,
    hit.variant,
    hit.region,
    hit.city,
    hit.alias,
  ].map(wordIdOf),
];

/** The state of one process over several batches. */
class Fold {
  readonly #words = new WordIds();
  readonly #batch = new HitBatch(this.#words, new ValueLimit(), parts);
  readonly #builder = new BatchBuilder(new SeenVisitors());
  /** The last click of each browser on each link. */
  #clicks = new Map<string, number>();
  readonly #seen = new Set<string>();

  async expectSameResult(rawHits: readonly RawHit[]): Promise<void> {
    const all = rawHits.toSorted((one, other) => one.at - other.at);
    const hits = all.filter(({ method }) => method !== '');
    this.#clicks = new Map();
    const batch = await this.#foldBatchOf(all);
    const expectedHits = hits.map((hit) => this.#expectedHit(hit));
    expect(countsIn(batch)).toEqual(
      expectedCounts(
        expectedHits,
        all.filter(({ method }) => method === ''),
      ),
    );
    expect(this.#visitorsIn(batch)).toEqual(this.#expectedVisitors(expectedHits));
    const { columns, count } = batch.hits;
    const rows = Array.from({ length: count }, (_, row) =>
      columns.slice(0, hitColumns.length).map((column) => column[row]),
    );
    const inOrder =
      hits.length < 4_096 ? expectedHits : expectedHits.toSorted((one, other) => one.linkId - other.linkId);
    expect(rows).toEqual(inOrder.map(rowOf));
  }

  async #foldBatchOf(hits: readonly RawHit[]): Promise<BuiltBatch> {
    const batch = this.#batch;
    batch.begin();
    for (let from = 0; from < hits.length; from += 10) {
      const bytes = Buffer.from(
        hits
          .slice(from, from + 10)
          .map(hitText)
          .join(''),
      );
      batch.add({ bytes, from: 0, to: bytes.length }, () => true);
    }
    const finder = new RepeatFinder(repeatWindow);
    finder.find(batch.columns, noClicks);
    for (const row of finder.repeats) {
      batch.columns.class[row] = classes.indexOf('repeat');
      batch.columns.reason[row] = reasons.indexOf('recent_visit');
    }
    await settle(this.#words);
    return this.#builder.batch(batch, this.#words, 'journal', null, { segment: 1, offset: 1 }, 0);
  }

  #expectedHit(hit: RawHit): EnrichedHit {
    const found = enrich(hit, parts);
    if (found.class !== 'human' || hit.outcome !== 'redirect' || found.source === 'qr') return found;
    const { linkId, address, userAgent, acceptLanguage, clientHints, referer, query } = hit;
    const key = [linkId, address, userAgent, acceptLanguage, clientHints, referer, query].join(' ');
    const last = this.#clicks.get(key) ?? Number.NEGATIVE_INFINITY;
    if (Math.abs(hit.at - last) < repeatWindow) return { ...found, class: 'repeat', reason: 'recent_visit' };
    this.#clicks.set(key, hit.at);
    return found;
  }

  #visitorsIn({ visitors }: BuiltBatch): string[] {
    expectInOrder(visitors.map(({ hour, owner, variant }) => [dayOfHour(hour), owner, hour, variant]));
    for (const group of visitors) expect(group.visitors).toEqual(group.visitors.toSorted());
    const texts = visitors.flatMap(({ hour, owner, variant, visitors }) =>
      Array.from(visitors, (visitor) => `${hour} ${owner} ${variant} ${visitor}`),
    );
    return [...new Set(texts)].toSorted();
  }

  #expectedVisitors(hits: readonly EnrichedHit[]): string[] {
    const found: string[] = [];
    for (const hit of hits) {
      if (hit.class !== 'human' || hit.outcome !== 'redirect' || hit.visitor === null) continue;
      for (const owner of [hit.linkId, -hit.organizationId]) {
        const key = `${dayOf(hit.at)} ${owner} ${hit.visitor}`;
        if (!this.#seen.has(key))
          found.push(`${hourOf(hit.at)} ${owner} ${owner < 0 ? 0 : wordIdOf(hit.variant)} ${hit.visitor}`);
        this.#seen.add(key);
      }
    }
    return found.toSorted();
  }
}

const ofOneDay = (hits: readonly RawHit[]): RawHit[] =>
  hits.map((hit) => ({ ...hit, at: hit.at >= noon + dayLength / 2 ? noon : hit.at }));

test('any batches of hits give the same result as counting each hit separately', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyHits, { minLength: 1, maxLength: 3 }), async (batches) => {
      const fold = new Fold();
      for (const hits of batches) await fold.expectSameResult(ofOneDay(hits));
    }),
    { numRuns: 40 },
  );
});

test('the hits of a long batch are sorted by link, and counted the same', async () => {
  const hits = fc.sample(anyHitOn(2_000, true), { numRuns: 5_000, seed: 3 });
  const fold = new Fold();
  await fold.expectSameResult(ofOneDay(hits));
  await fold.expectSameResult(ofOneDay(hits.slice(0, 100)));
});

test('visitors of two days are counted per day, and once a day per owner', async () => {
  const visit = (linkId: number, at: number, address: string): RawHit => ({
    ...(fc.sample(anyHitOn(1, false), 1)[0] as RawHit),
    ...{ linkId, at, address, organizationId: 1, outcome: 'redirect', method: 'GET', userAgent: firefox },
    doNotTrack: false,
  });
  const batch = [
    visit(1, noon, '198.51.100.1'),
    visit(2, noon + dayLength, '198.51.100.1'),
    visit(1, noon + dayLength, '198.51.100.1'),
    visit(1, noon + 60_000, '198.51.100.2'),
  ];
  await new Fold().expectSameResult(batch);
});
