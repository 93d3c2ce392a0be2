import { expect, test } from 'bun:test';
import { startApp } from './support/app.ts';

test.each([
  ['127.0.0.0/8', 'https://example.de/', 'DE'],
  ['10.0.0.0/8', 'https://example.com/', 'XX'],
])('a country header counts if its sender is a trusted proxy: one of %s', async (ranges, to, country) => {
  const app = await startApp({ env: { TRUSTED_PROXIES: ranges } });
  const { key } = await app.createAccount();
  const body = {
    destination_url: 'https://example.com/',
    suffix: 'where',
    rules: [{ when: { country: ['DE'] }, destination_url: 'https://example.de/' }],
  };
  const { id } = (await app.call('POST', '/api/v1/link', { key, body })).json;
  // The fast path and the app server.
  for (const headers of [{}, { 'x-detour': '\xe9' }]) {
    const visit = await app.visit('/where', { ...headers, 'cf-ipcountry': 'DE' });
    expect(visit.headers.get('location')).toBe(to);
  }
  await app.app.clicks.settled();
  const { json } = await app.call('GET', `/api/v1/link/${id}/clicks?class=all`, { key });
  expect(json.clicks.map((click: { country: string }) => click.country)).toEqual([country, country]);
  expect(app.faults).toEqual([]);
  await app.stop();
});
