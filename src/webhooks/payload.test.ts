import { describe, expect, test } from 'bun:test';
import { noWords } from '../rules/click-fields.ts';
import { Site } from '../rules/site.ts';
import { addressShown, type ClickEvent, clickBody, flatClick } from './payload.ts';

const click: ClickEvent['click'] = {
  ...noWords,
  id: 42,
  linkId: 7,
  at: Date.UTC(2026, 2, 4, 5, 6, 7, 8),
  outcome: 'redirect',
  target: 'default',
  address: '203.0.113.77',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0',
  country: 'DE',
  browser: 'Chrome',
  browserVersion: '140.0.0.0',
  os: 'Linux',
  osVersion: '6.1',
  device: 'desktop',
  language: 'de',
  referrer: 'news.example',
  utm_source: 'mail',
  utm_medium: 'newsletter',
  utm_campaign: 'spring',
  utm_term: 'shoes',
  utm_content: 'button',
  class: 'human',
  reason: 'browser',
  source: 'qr',
};

const eventOf = (changed: Partial<ClickEvent['click']> = {}): ClickEvent => ({
  click: { ...click, ...changed },
  link: {
    id: 7,
    suffix: 'spring',
    host: 'go.example.com',
    destination_url: 'https://example.com/spring?x=1',
    android_url: null,
    ios_url: null,
    rules: null,
  },
  site: new Site(new URL('https://links.example.com')),
});

const bare = eventOf({
  ...noWords,
  address: '',
  userAgent: '',
  browserVersion: '',
  osVersion: '',
  device: '',
  reason: '',
  source: '',
});

test('a click contains the names of the interface and ours', () => {
  expect(clickBody(eventOf(), 'shortened')).toEqual({
    event: 'click',
    payload: {
      id: 42,
      link_id: 7,
      domain: 'https://go.example.com',
      suffix: 'spring',
      url: 'https://go.example.com/spring',
      address: 'go.example.com/spring',
      destination: 'https://example.com/spring?x=1',
      rule: 'Unknown',
      variant: 'Unknown',
      clicked_at: '2026-03-04T05:06:07.008Z',
      ip_address: '203.0.113.0',
      user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0',
      country: 'DE',
      region: 'Unknown',
      city: 'Unknown',
      browser: 'Chrome',
      browser_version: '140.0.0.0',
      os: 'Linux',
      os_version: '6.1',
      device: 'desktop',
      language: 'de',
      referrer: 'news.example',
      utm_source: 'mail',
      utm_medium: 'newsletter',
      utm_campaign: 'spring',
      utm_term: 'shoes',
      utm_content: 'button',
      class: 'human',
      reason: 'browser',
      source: 'qr',
    },
  });
});

test('a click contains its place and its alias', () => {
  const { payload } = clickBody(
    eventOf({ region: 'DE-BY', city: 'DE-BY/Munich', alias: 'go.example.com/old' }),
    'full',
  );
  expect(payload).toMatchObject({ region: 'DE-BY', city: 'Munich', address: 'go.example.com/old' });
  expect(payload.url).toBe('https://go.example.com/spring');
});

test('missing values are "Unknown", and no key is left out', () => {
  const { payload } = clickBody(bare, 'full');
  expect(Object.keys(payload)).toEqual(Object.keys(clickBody(eventOf(), 'full').payload));
  const given = ['id', 'link_id', 'domain', 'suffix', 'url', 'address', 'destination', 'clicked_at', 'class'];
  for (const [key, value] of Object.entries(payload)) {
    if (given.includes(key)) expect(value).not.toBe('Unknown');
    else expect([key, value]).toEqual([key, 'Unknown']);
  }
});

test('the ledger\'s code for an address without a country is "Unknown" too', () => {
  expect(clickBody(eventOf({ country: 'XX' }), 'full').payload.country).toBe('Unknown');
  expect(flatClick(eventOf({ country: 'XX' }), 'full').country).toBe('Unknown');
});

test('the flat click has the same values on one level', () => {
  const { event, ...values } = flatClick(eventOf(), 'shortened');
  expect(event).toBe('click');
  expect(values).toEqual(clickBody(eventOf(), 'shortened').payload);
  expect(Object.values(values).every((value) => typeof value !== 'object')).toBe(true);
});

describe('ip_address', () => {
  test.each([
    ['203.0.113.77', 'full', '203.0.113.77'],
    ['203.0.113.77', 'shortened', '203.0.113.0'],
    ['203.0.113.0', 'shortened', '203.0.113.0'],
    ['203.0.113.77', 'none', null],
    ['2001:db8:1234:5678:9abc::1', 'full', '2001:db8:1234:5678:9abc::1'],
    ['2001:db8:1234:5678:9abc::1', 'shortened', '2001:db8:1234::'],
    ['2001:db8:1234:5678:9abc::1', 'none', null],
    ['::ffff:203.0.113.77', 'full', '203.0.113.77'],
    ['::ffff:203.0.113.77', 'shortened', '203.0.113.0'],
    ['fe80::1%eth0', 'full', 'fe80::1'],
    ['::1', 'shortened', '::'],
    ['not an address', 'full', null],
    ['203.0.113.77, 10.0.0.1', 'full', null],
    ['', 'full', null],
  ] as const)('%p, %s: %p', (address, form, expected) => {
    expect(addressShown(address, form)).toBe(expected);
    expect(clickBody(eventOf({ address }), form).payload.ip_address).toBe(expected ?? 'Unknown');
  });
});
