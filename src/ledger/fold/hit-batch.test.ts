import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { firefox, firefoxOf } from '../../../test/support/agents-of-people.ts';
import { hitText } from '../../../test/support/hit-text.ts';
import { plainHit } from '../../../test/support/plain-hit.ts';
import type { RawHit } from '../../journal/hit.ts';
import type { RecordBytes } from '../../journal/record.ts';
import { headerEvidenceKinds } from '../../rules/agents/header-evidence.ts';
import {
  classes,
  devices,
  originFields,
  outcomes,
  reasons,
  sources,
  targets,
  wordFields,
} from '../../rules/click-fields.ts';
import { dayLength, hourLength } from '../../rules/durations.ts';
import { dayOf } from '../../rules/utc-time.ts';
import { DailySalts } from '../visitors/visitor-hash.ts';
import { type EnrichedHit, enrich, enrichParts } from './enrich.ts';
import { HitBatch } from './hit-batch.ts';
import { ValueLimit } from './value-limit.ts';
import { WordIds } from './word-ids.ts';

const noon = Date.UTC(2026, 5, 1, 12);

let saltsMade = 0;
async function freshSalts(...days: number[]): Promise<DailySalts> {
  const store = { settle: async (_day: number, fresh: Uint8Array) => fresh, forgetBefore: async () => {} };
  const salts = new DailySalts(store, (count) => new Uint8Array(count).fill(++saltsMade));
  for (const day of days) await salts.prepare(day);
  return salts;
}

const partsWith = (salts: DailySalts) => {
  const placeOf = (address: string) =>
    address.endsWith('1')
      ? { country: 'DE', region: 'DE-BY', city: 'Munich' }
      : { country: 'FR', region: '', city: 'Paris' };
  return enrichParts({ placeOf, isOwnHost: (host) => host === 'go.example.org', salts });
};
const freshParts = async (...days: number[]) => partsWith(await freshSalts(...days));

const agents = [
  '',
  'curl/8.5.0',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'WhatsApp/2.23.20.0',
  firefox,
  firefoxOf(141),
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
];

const anyHit: fc.Arbitrary<RawHit> = fc.record({
  linkId: fc.integer({ min: 1, max: 3 }),
  organizationId: fc.constantFrom(1, 2 ** 40),
  at: fc.integer({ min: noon - 60_000, max: noon + 13 * hourLength }),
  outcome: fc.constantFrom(...outcomes, 'redirect', 'redirect'),
  target: fc.constantFrom(null, 'default', 'android', 'ios'),
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS'),
  address: fc.constantFrom('198.51.100.1', '198.51.100.2', '2001:db8::1'),
  userAgent: fc.constantFrom(...agents),
  acceptLanguage: fc.constantFrom('', 'de-CH,de;q=0.9', 'pt'),
  clientHints: fc.constantFrom(0, 0, 1, 77),
  referer: fc.constantFrom('', 'https://www.example.com/x', 'https://go.example.org/abc', 'nonsense'),
  query: fc.constantFrom(
    '',
    '',
    '?qr',
    '?utm_source=mail&utm_campaign=%FCber',
    '?utm_term=a&utm_content=b&qr',
  ),
  purpose: fc.constantFrom('', '', '', 'prefetch', 'something'),
  headerEvidence: fc.constantFrom('none', 'none', 'none', ...headerEvidenceKinds),
  doNotTrack: fc.boolean(),
  countryHint: fc.constantFrom('', '', 'se', 'XX', 'de'),
  matchedRule: fc.constantFrom('', '', 'r_a1b2c', 'mine/b'),
  alias: fc.constantFrom('', 'go.example.com/old', 'x.example/ü/2'),
});

function recordOf(text: string): RecordBytes {
  const bytes = Buffer.from(text);
  return { bytes, from: 0, to: bytes.length };
}

/** The rows of the batch, with words in place of indexes. */
function rowsOf(batch: HitBatch, words: readonly string[]): object[] {
  const { columns } = batch;
  return Array.from({ length: columns.count }, (_, row) => ({
    linkId: columns.linkId[row],
    organizationId: columns.organizationId[row],
    at: columns.at[row],
    outcome: outcomes[columns.outcome[row] ?? -1],
    target: targets[columns.target[row] ?? -1],
    class: classes[columns.class[row] ?? -1],
    reason: reasons[columns.reason[row] ?? -1],
    device: devices[columns.device[row] ?? -1],
    source: sources[columns.source[row] ?? -1],
    words: columns.words.map((indexes) => words[indexes[row] ?? -1]),
    visitor: columns.visitor[row],
  }));
}

const expected = (hit: EnrichedHit): object => ({
  linkId: hit.linkId,
  organizationId: hit.organizationId,
  at: hit.at,
  outcome: hit.outcome,
  target: hit.target ?? 'none',
  class: hit.class,
  reason: hit.reason,
  device: hit.device,
  source: hit.source,
  words: wordFields.map((field) => hit[field]),
  visitor: hit.visitor ?? -1,
});

/** Also keeps each word by its index. */
class ReadableWords extends WordIds {
  readonly byIndex = [''];

  override indexOf(word: string): number {
    const index = super.indexOf(word);
    this.byIndex[index] = word;
    return index;
  }
}

test('a batch enriches any hit in the same way as enrich()', async () => {
  const days = [dayOf(noon), dayOf(noon + dayLength)];
  const parts = await freshParts(...days);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyHit, { minLength: 1, maxLength: 8 }), { maxLength: 40 }),
      async (records) => {
        const words = new ReadableWords();
        const batch = new HitBatch(words, new ValueLimit(), parts);
        batch.begin();
        for (const record of records) {
          expect(batch.add(recordOf(record.map(hitText).join('')), () => true)).toBeNull();
        }
        const plain = records.flat().map((hit) => enrich(hit, parts));
        expect(rowsOf(batch, words.byIndex)).toEqual(plain.map(expected));
      },
    ),
    { numRuns: 200 },
  );
});

const oneHit: RawHit = {
  ...plainHit,
  linkId: 7,
  organizationId: 3,
  at: noon,
  address: '198.51.100.1',
  userAgent: agents[4] ?? '',
};

const batchOf = async (words: WordIds, ...days: number[]) =>
  new HitBatch(words, new ValueLimit(), await freshParts(...days));

test("a batch stops before a hit of a day whose salt isn't available, and continues from there", async () => {
  const batch = await batchOf(new WordIds(), dayOf(noon));
  const ready = new Set([dayOf(noon)]);
  const instants = [noon, noon + dayLength, noon + dayLength + 1, noon + 1];
  const record = instants.map((at, linkId) => hitText({ ...oneHit, linkId, at })).join('');
  const isReady = (day: number) => ready.has(day);
  batch.begin();
  expect(batch.add(recordOf(record), isReady)).toBe(dayOf(noon) + 1);
  expect(batch.count).toBe(1);
  ready.add(dayOf(noon) + 1);
  expect(batch.add(null, isReady)).toBeNull();
  expect([...batch.columns.at.subarray(0, batch.count)]).toEqual(instants);
});

test("a visitor has another id each day, and none once the day's salt is destroyed", async () => {
  const salts = await freshSalts(dayOf(noon), dayOf(noon) + 1);
  const batch = new HitBatch(new WordIds(), new ValueLimit(), partsWith(salts));
  const visitorAt = (at: number): number => {
    batch.begin();
    batch.add(recordOf(hitText({ ...oneHit, at })), () => true);
    return batch.columns.visitor[0] ?? 0;
  };
  const today = visitorAt(noon);
  expect(today).toBeGreaterThan(0);
  expect(visitorAt(noon + dayLength)).not.toBe(today);
  expect(visitorAt(noon)).toBe(today);
  await salts.forgetBefore(dayOf(noon) + 1);
  batch.forgetVisitors();
  expect(visitorAt(noon)).toBe(-1);
});

test('released memory contains nothing of earlier batches when it is reused', async () => {
  const words = new ReadableWords();
  const parts = await freshParts(dayOf(noon));
  const batch = new HitBatch(words, new ValueLimit(), parts);
  const fill = (hit: RawHit, count: number) => {
    batch.begin();
    batch.add(recordOf(hitText(hit).repeat(count)), () => true);
  };
  for (const count of [3, 2_000]) {
    fill({ ...oneHit, referer: 'https://www.example.com/x', query: '?utm_source=mail&qr' }, count);
    batch.release();
    expect(batch.count).toBe(0);
    expect(batch.columns.at.length).toBeLessThanOrEqual(256);
    fill(oneHit, 1);
    expect(rowsOf(batch, words.byIndex)).toEqual([expected(enrich(oneHit, parts))]);
  }
});

test('words that were assigned new indexes are resolved', async () => {
  const words = new ReadableWords(4);
  const batch = await batchOf(words, dayOf(noon));
  const languages = ['de', 'fr', 'pt', 'es', 'it', 'nl'];
  for (const language of [...languages, ...languages]) {
    batch.begin();
    batch.add(recordOf(hitText({ ...oneHit, acceptLanguage: language })), () => true);
    const [country, os, browser, acceptLanguage] = batch.columns.words.map(
      (indexes) => words.byIndex[indexes[0] ?? -1],
    );
    expect([country, os, browser, acceptLanguage]).toEqual(['DE', 'Linux', 'Firefox', language]);
  }
});

test('memory of a long batch is released after a short one', async () => {
  const batch = await batchOf(new WordIds(), dayOf(noon));
  const record = recordOf(hitText(oneHit).repeat(100));
  const run = (records: number) => {
    batch.begin();
    for (let count = 0; count < records; count++) batch.add(record, () => true);
    return batch.columns.at.length;
  };
  expect(run(100)).toBeGreaterThanOrEqual(10_000);
  expect(batch.columns.at.subarray(0, batch.count).every((at) => at === noon)).toBe(true);
  run(1);
  expect(run(1)).toBeLessThan(1_000);
});

test('a value beyond the limit of a link and hour counts as other and adds no word; in the next hour it counts itself', async () => {
  const words = new ReadableWords();
  const limit = new ValueLimit(2);
  const batch = new HitBatch(words, limit, await freshParts(dayOf(noon)));
  const hits = [0, hourLength].flatMap((later) =>
    ['de', 'fr', 'pt', 'de', 'pt'].map((acceptLanguage, index) => ({
      ...oneHit,
      at: noon + later,
      acceptLanguage,
      query: `?utm_source=s${later}-${index}`,
    })),
  );
  // The values of the second hour come in another order: the one that was beyond the limit is first.
  hits.splice(5, 0, ...hits.splice(7, 1));
  batch.begin();
  batch.add(recordOf(hits.map(hitText).join('')), () => true);
  const wordsAt = (indexes: Int32Array) =>
    Array.from(indexes.subarray(0, batch.count), (index) => words.byIndex[index]);
  const {
    language,
    origins: { all: origins },
  } = batch.columns;
  expect(wordsAt(language)).toEqual([
    ...['de', 'fr', '(other)', 'de', '(other)'],
    ...['pt', 'de', '(other)', 'de', 'pt'],
  ]);
  expect(wordsAt(origins[originFields.indexOf('utm_source')] ?? new Int32Array())).toEqual([
    ...['s0-0', 's0-1', '(other)', '(other)', '(other)'],
    ...['s3600000-2', 's3600000-0', '(other)', '(other)', '(other)'],
  ]);
  expect(words.find('s0-2')).toBe(-1);
});

test('words whose indexes were reassigned are not confused with the words that have them now, if values are limited', async () => {
  const words = new ReadableWords(4);
  const batch = new HitBatch(words, new ValueLimit(1), await freshParts(dayOf(noon)));
  const referrerOf = (hit: Partial<RawHit>) => {
    batch.begin();
    batch.add(recordOf(hitText({ ...oneHit, ...hit })), () => true);
    return words.byIndex[batch.columns.origins.all[0]?.[0] ?? -1];
  };
  expect(referrerOf({ referer: 'https://one.example/' })).toBe('one.example');
  expect(referrerOf({ referer: 'https://two.example/', acceptLanguage: 'fr' })).toBe('two.example');
});
