import { afterAll, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startApp } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { munich, twoNetworkFile } from './support/country-file.ts';
import { temporaryFolder } from './support/program.ts';

const zurich = { country: { iso_code: 'CH' }, city: { names: { en: 'Zürich' } } };
const inMunich = '9.9.9.9';
const inZurich = '193.99.144.80';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;

const writeCountryFile = async (name: string, content: Uint8Array) => {
  const path = join(folder.path, name);
  await writeFile(path, content);
  return path;
};

const { app, owner } = appWithOwner(async () => {
  folder = await temporaryFolder();
  const COUNTRY_FILE = await writeCountryFile('cities.mmdb', twoNetworkFile(munich, zurich));
  return { env: { COUNTRY_FILE, TRUSTED_PROXIES: '1' } };
});
afterAll(() => folder[Symbol.asyncDispose]());

const to = (name: string) => ({ destination_url: `https://example.com/${name}` });
const create = (rules: unknown, targetApp = app, { key } = owner) =>
  targetApp.call('POST', '/api/v1/link', { key, body: { ...to('default'), rules } });

/** The end of the URL to which a visitor is redirected. The fast path and the app server must give the same answer. */
async function destinationOf(path: string, address: string, headers: Record<string, string> = {}) {
  const sent = { 'x-forwarded-for': address, ...headers };
  const fast = await app.visit(`/${path}`, sent);
  const slow = await app.visit(`/${path}`, { ...sent, 'x-detour': '\xe9' });
  expect(fast.headers.get('location')).toBe(slow.headers.get('location'));
  return fast.headers.get('location')?.replace('https://example.com/', '');
}

test('rules redirect by the region and the city that the file has for the IP address', async () => {
  const created = await create([
    { when: { region: ['de-by'], not: { city: ['Munich'] } }, ...to('rest-of-bavaria') },
    { when: { region: ['de-by', 'AT-9'] }, ...to('bavaria') },
    { when: { city: [' ZÜRICH '] }, ...to('zurich') },
  ]);
  expect([created.status, created.text]).toEqual([201, created.text]);
  const { suffix, rules, id } = created.json;
  expect(rules.map((rule: { when: unknown }) => rule.when)).toEqual([
    { region: ['DE-BY'], not: { city: ['Munich'] } },
    { region: ['DE-BY', 'AT-9'] },
    { city: ['ZÜRICH'] },
  ]);
  expect(await destinationOf(suffix, inMunich)).toBe('bavaria');
  expect(await destinationOf(suffix, inZurich)).toBe('zurich');
  expect(await destinationOf(suffix, '::1')).toBe('default');
  // If a proxy reports another country, the city is unknown.
  expect(await destinationOf(suffix, inMunich, { 'cf-ipcountry': 'FR' })).toBe('default');
  expect(await destinationOf(suffix, inMunich, { 'cf-ipcountry': 'DE' })).toBe('bavaria');

  const explain = (body: object) => app.call('POST', `/api/v1/link/${id}/explain`, { key: owner.key, body });
  const { json } = await explain({ country: 'DE', region: 'de-by', city: 'Nuremberg' });
  expect(json.to).toBe('https://example.com/rest-of-bavaria');
  expect(json.steps.at(-1).conditions).toEqual([
    { key: 'region', not: false, matched: true, saw: 'DE-BY' },
    { key: 'city', not: true, matched: true, saw: 'Nuremberg' },
  ]);
  expect((await explain({ region: 'Bavaria' })).json.field_key).toBe('region');
  const setup = (await app.call('GET', '/api/v1/setup')).json;
  expect([setup.regions_known, setup.cities_known]).toEqual([true, true]);
});

test('an invalid region or city is refused with its position', async () => {
  for (const [when, field] of [
    [{ region: ['Bavaria'] }, 'rules.0.when.region.0'],
    [{ region: ['DE-BY', 'DE'] }, 'rules.0.when.region.1'],
    [{ not: { city: ['Munich', ' '] } }, 'rules.0.when.not.city.1'],
    [{ city: 'Munich' }, 'rules.0.when.city'],
    [{ city: [] }, 'rules.0.when.city'],
    [{ city: ['x'.repeat(101)] }, 'rules.0.when.city.0'],
  ] as const) {
    const { status, json } = await create([{ when, ...to('x') }]);
    expect([field, status, json.field_key]).toEqual([field, 400, field]);
  }
});

test('a file without regions allows rules by city, but none by region', async () => {
  const COUNTRY_FILE = await writeCountryFile('no-regions.mmdb', twoNetworkFile(zurich, zurich));
  const otherApp = await startApp({ env: { COUNTRY_FILE } });
  try {
    const otherAccount = await otherApp.createAccount();
    expect((await create([{ when: { city: ['Bern'] }, ...to('x') }], otherApp, otherAccount)).status).toBe(
      201,
    );
    const { json } = await create(
      [to('y'), { when: { not: { region: ['DE-BY'] } }, ...to('x') }],
      otherApp,
      otherAccount,
    );
    expect([json.error_code, json.field_key]).toEqual(['CONDITION_UNAVAILABLE', 'rules.1.when.not.region']);
    expect(json.error_string).toBe(
      'Rules by region need a COUNTRY_FILE with regions, and this instance has none. Take the condition out.',
    );
  } finally {
    await otherApp.stop();
  }
});
