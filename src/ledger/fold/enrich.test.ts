import { beforeEach, describe, expect, test } from 'bun:test';
import { plainHit } from '../../../test/support/plain-hit.ts';
import type { RawHit } from '../../journal/hit.ts';
import { noWords } from '../../rules/click-fields.ts';
import { dayLength } from '../../rules/durations.ts';
import { unknownPlace } from '../../rules/place.ts';
import { dayOf } from '../../rules/utc-time.ts';
import { DailySalts } from '../visitors/visitor-hash.ts';
import { type EnrichedHit, type EnrichParts, enrich, enrichParts } from './enrich.ts';

const at = Date.UTC(2026, 5, 1, 12);
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

const baseHit: RawHit = {
  ...plainHit,
  linkId: 7,
  organizationId: 3,
  at,
  target: 'ios',
  userAgent: safari,
  acceptLanguage: 'de-CH,de;q=0.9',
  referer: 'https://www.example.com/news?secret=1',
  query: '?qr&utm_source=poster&utm_medium=print&utm_campaign=fair&utm_term=t&utm_content=c',
};

const countries: Record<string, string> = { '198.51.100.7': 'CH' };
let lookedUp: string[] = [];

async function freshParts(): Promise<EnrichParts> {
  const store = { settle: async (_day: number, fresh: Uint8Array) => fresh, forgetBefore: async () => {} };
  const salts = new DailySalts(store, (count) => new Uint8Array(count).fill(1));
  await salts.prepare(dayOf(at));
  return enrichParts({
    placeOf: (address) => {
      lookedUp.push(address);
      return { ...unknownPlace, country: countries[address] ?? 'XX' };
    },
    isOwnHost: (host) => host === 'go.example.org' || host === 'www.links.example',
    salts,
  });
}

let parts: EnrichParts;
beforeEach(async () => {
  lookedUp = [];
  parts = await freshParts();
});
const enriched = (changes: Partial<RawHit>): EnrichedHit => enrich({ ...baseHit, ...changes }, parts);

test('a hit has the place from the city file, unless a proxy names another country', async () => {
  parts = { ...parts, placeOf: () => ({ country: 'CH', region: 'CH-ZH', city: 'Zürich' }) };
  const place = ({ country, region, city }: EnrichedHit) => [country, region, city];
  expect(place(enriched({}))).toEqual(['CH', 'CH-ZH', 'CH-ZH/Zürich']);
  expect(place(enriched({ countryHint: 'ch' }))).toEqual(['CH', 'CH-ZH', 'CH-ZH/Zürich']);
  expect(place(enriched({ countryHint: 'FR' }))).toEqual(['FR', '', '']);
  parts = { ...parts, placeOf: () => ({ country: 'CH', region: '', city: 'Zürich' }) };
  expect(place(enriched({}))).toEqual(['CH', '', 'CH/Zürich']);
  parts = { ...parts, placeOf: () => ({ country: 'CH', region: '', city: '' }) };
  expect(place(enriched({ alias: 'go.example.com/old' }))).toEqual(['CH', '', '']);
  expect(enriched({ alias: 'go.example.com/old' }).alias).toBe('go.example.com/old');
});

test('a hit has everything that can be derived from its request, but no address', () => {
  const hit = enriched({});
  expect(hit).toEqual({
    ...noWords,
    linkId: 7,
    organizationId: 3,
    at,
    outcome: 'redirect',
    target: 'ios',
    class: 'human',
    reason: 'browser',
    country: 'CH',
    device: 'mobile',
    os: 'iOS',
    osVersion: '17.5',
    browser: 'Safari',
    browserVersion: '17',
    language: 'de',
    referrer: 'example.com',
    utm_source: 'poster',
    utm_medium: 'print',
    utm_campaign: 'fair',
    utm_term: 't',
    utm_content: 'c',
    source: 'qr',
    visitor: expect.any(Number),
  });
  expect(JSON.stringify(hit)).not.toContain('198.51.100.7');
});

test('a request without any headers still gives a hit', () => {
  const noHeaders = { acceptLanguage: '', referer: '', query: '', userAgent: '', address: '' };
  expect(enriched(noHeaders)).toMatchObject({
    class: 'bot',
    reason: 'empty_user_agent',
    country: 'XX',
    device: 'other',
    os: 'Unknown',
    browser: 'Unknown',
    language: '',
    referrer: '',
    utm_source: '',
    source: 'link',
  });
});

test('the country from a trusted proxy takes precedence over that of the address', () => {
  expect(enriched({ countryHint: 'se' }).country).toBe('SE');
  for (const hint of ['', 'XX', 'T1', 'Sweden']) expect(enriched({ countryHint: hint }).country).toBe('CH');
});

test("our own hosts don't count as referrers, with or without www", () => {
  for (const referer of ['https://go.example.org/abc', 'https://www.links.example/x']) {
    expect(enriched({ referer }).referrer).toBe('');
  }
  expect(enriched({ referer: 'https://links.example/' }).referrer).toBe('links.example');
});

describe('a visitor who asked not to be tracked', () => {
  test('counts as a click, not as a visitor', () => {
    expect(enriched({ doNotTrack: true })).toMatchObject({ class: 'human', visitor: null });
  });
});

test('a hit of a person who was shown a page keeps its outcome and the class human', () => {
  for (const outcome of ['expired', 'ask_password', 'ask_captcha', 'refused'] as const) {
    expect(enriched({ outcome, target: null })).toMatchObject({ outcome, target: null, class: 'human' });
  }
});

test('a hit of a day whose salt was destroyed has no visitor', () => {
  expect(enriched({ at: at - dayLength })).toMatchObject({ class: 'human', visitor: null });
});

test('addresses, user agents and referrers are looked up once, and the cache never mixes them up', () => {
  for (let round = 0; round < 3; round++) enriched({ at: at + round * 20_000 });
  expect(lookedUp).toEqual(['198.51.100.7']);
  for (let index = 0; index < 200_000; index++) parts.placeOf(`address ${index}`);
  expect(enriched({}).country).toBe('CH');
});

test('an extremely long user agent is read up to the length that browsers use', () => {
  const longUserAgent = `${safari} ${'x'.repeat(1_000_000)}`;
  expect(enriched({ userAgent: longUserAgent })).toMatchObject({ class: 'human', browser: 'Safari' });
});
