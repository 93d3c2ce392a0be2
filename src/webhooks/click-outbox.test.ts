import { expect, test } from 'bun:test';
import type { FoldedClick } from '../ledger/click.ts';
import type { HookedLink } from '../ledger/fold-store.ts';
import { noWords } from '../rules/click-fields.ts';
import { Site } from '../rules/site.ts';
import { clickDeliveries } from './click-outbox.ts';

const click: FoldedClick = {
  ...noWords,
  index: 0,
  position: '1/4096/0',
  linkId: 7,
  at: Date.UTC(2026, 2, 4, 5, 6, 7, 8),
  outcome: 'redirect',
  target: 'ios',
  class: 'human',
  reason: 'browser',
  country: 'DE',
  device: 'mobile',
  os: 'iOS',
  osVersion: '19.1',
  browser: 'Safari',
  browserVersion: '19',
  language: 'de',
  referrer: 'news.example',
  utm_source: 'mail',
  source: 'qr',
  address: '203.0.113.77',
  userAgent: 'Mozilla/5.0',
};

const link: HookedLink = {
  id: 7,
  organization_id: 3,
  suffix: 'spring',
  host: 'go.example.com',
  destination_url: 'https://example.com/all',
  android_url: null,
  ios_url: 'https://example.com/ios',
  rules: null,
  webhook_url: 'https://hooks.example.com:443/x',
  webhook_events: 'link.updated,click',
  webhook_auth_key: 'sealed',
  zapier_hook_url: 'https://hooks.zapier.com/1',
};

const settings = {
  site: new Site(new URL('https://links.example.com')),
  addressForm: 'shortened',
  now: 1_000,
  journal: 'node-1/1',
  hitIdOf: (index: number) => 1_000 + index,
} as const;

const rowsOf = (clicks: FoldedClick[], links = [link]) =>
  clickDeliveries(clicks, new Map(links.map((one) => [one.id, one])), settings);

test('a click becomes a row for the webhook and one for Zapier, with complete bodies', () => {
  const rows = rowsOf([click]);
  expect(rows).toMatchObject([
    {
      organization_id: 3,
      link_id: 7,
      event: 'click',
      target_url: 'https://hooks.example.com:443/x',
      signing_key: 'sealed',
      state: 'waiting',
      tries: 0,
      created_at: 1_000,
      next_try_at: 1_000,
      claimed_until: null,
    },
    { event: 'zapier.click', target_url: 'https://hooks.zapier.com/1', signing_key: null },
  ]);
  const [webhook, zapier] = rows.map(({ body }) => JSON.parse(body));
  expect(webhook.payload).toMatchObject({
    id: 1_000,
    domain: 'https://go.example.com',
    url: 'https://go.example.com/spring',
    destination: 'https://example.com/ios',
    ip_address: '203.0.113.0',
    referrer: 'news.example',
    utm_medium: 'Unknown',
  });
  expect(zapier).toEqual({ event: 'click', ...webhook.payload });
});

test('no full address is stored unless the operator wants it', () => {
  for (const { body } of rowsOf([click])) expect(body).not.toContain('203.0.113.77');
});

test('a click has the same id in any batch, and no two clicks share one', () => {
  const ids = (clicks: FoldedClick[]) => rowsOf(clicks).map((row) => row.message_id);
  const three = [0, 1, 2].map((index) => ({ ...click, index, position: `1/4096/${index}` }));
  const later = three.map((one) => ({ ...one, index: one.index + 7 }));
  expect(ids(later)).toEqual(ids(three));
  expect(new Set(ids(three)).size).toBe(6);
  const elsewhere = clickDeliveries([click], new Map([[7, link]]), { ...settings, journal: 'node-2/1' });
  expect(elsewhere[0]?.message_id).not.toBe(ids([click])[0] ?? '');
});

test('hits that are no clicks, and events not subscribed to, make no row', () => {
  expect(rowsOf([{ ...click, class: 'bot' }])).toEqual([]);
  expect(rowsOf([{ ...click, outcome: 'ask_password', target: null }])).toEqual([]);
  expect(rowsOf([{ ...click, linkId: 8 }])).toEqual([]);
  expect(rowsOf([click], [{ ...link, webhook_events: 'link.updated', zapier_hook_url: null }])).toEqual([]);
  expect(rowsOf([click], [{ ...link, webhook_url: null, zapier_hook_url: null }])).toEqual([]);
  expect(rowsOf([click], [{ ...link, webhook_url: null }])).toHaveLength(1);
});
