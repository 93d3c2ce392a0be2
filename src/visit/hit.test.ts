import { describe, expect, test } from 'bun:test';
import { hitOf } from './hit.ts';
import { RequestVisit } from './request-visit.ts';

const address = () => '203.0.113.9';

function hitWith(headers: Record<string, string>, trustsProxies = false) {
  const request = new Request('http://x/a', { headers });
  const sent = {
    request,
    host: 'x',
    path: '/a',
    search: '?qr',
    address,
    network: address,
    isProxied: () => trustsProxies,
  };
  return hitOf(
    new RequestVisit(sent, 0),
    { id: 7, organizationId: 3 },
    { kind: 'redirect', to: 'https://example.com/', target: 'ios', by: { rule: 'mine', variant: 'b' } },
    1_000,
    { knowsScheme: trustsProxies },
  );
}

describe('what the journal stores of a request', () => {
  test('is what was sent, unchanged', () => {
    expect(
      hitWith({ 'user-agent': 'UA', 'accept-language': 'de', referer: 'https://r.example/', dnt: '1' }),
    ).toEqual({
      linkId: 7,
      organizationId: 3,
      at: 1_000,
      outcome: 'redirect',
      target: 'ios',
      method: 'GET',
      address: '203.0.113.9',
      userAgent: 'UA',
      acceptLanguage: 'de',
      referer: 'https://r.example/',
      query: '?qr',
      purpose: '',
      clientHints: 0,
      headerEvidence: 'none',
      doNotTrack: true,
      countryHint: '',
      matchedRule: 'mine/b',
      alias: '',
    });
  });

  const purposes: [string, Record<string, string>][] = [
    ['prefetch;prerender', { 'sec-purpose': 'prefetch;prerender', purpose: 'prefetch' }],
    ['prefetch', { purpose: 'prefetch' }],
    [
      'prefetch',
      { 'x-moz': 'prefetch', 'user-agent': 'Mozilla/5.0 (X11; rv:90.0) Gecko/20100101 Firefox/90.0' },
    ],
    [
      'preview',
      {
        'x-purpose': 'preview',
        'user-agent': 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Safari/605.1.15',
      },
    ],
    ['', { 'user-agent': 'Mozilla/5.0' }],
  ];
  for (const [purpose, headers] of purposes) {
    test(`"${purpose}" of ${Object.keys(headers).join(', ')}`, () =>
      expect(hitWith(headers).purpose).toBe(purpose));
  }

  test('includes missing browser headers only if a proxy reports https', () => {
    const https = { 'user-agent': 'UA', 'x-forwarded-proto': 'https' };
    expect(hitWith(https).headerEvidence).toBe('none');
    expect(hitWith(https, true).headerEvidence).toBe('no_browser_headers');
    expect(hitWith({ ...https, 'sec-fetch-mode': 'navigate' }, true).headerEvidence).toBe('none');
    expect(hitWith({ 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }).headerEvidence).toBe(
      'not_navigation',
    );
  });

  test("a country is read from a proxy's header only if proxies are trusted", () => {
    expect(hitWith({ 'cf-ipcountry': 'DE' }).countryHint).toBe('');
    expect(hitWith({ 'cf-ipcountry': 'DE' }, true).countryHint).toBe('DE');
    expect(hitWith({ 'cf-ipcountry': 'Germany' }, true).countryHint).toBe('');
  });
});
