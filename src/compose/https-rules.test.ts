import { expect, test } from 'bun:test';
import { options } from '../config/options.ts';
import { router } from '../http/router.ts';
import { Site } from '../rules/site.ts';
import { httpsRules } from './https-rules.ts';

const custom = 5;
const answered = () => new Response('answered');
const segments = ['api', 'app', 'assets', 'qr', '_linnet', 'robots.txt', 'healthz'];

/** Whether a request without TLS is redirected to https or answered. */
async function overHttp(url: string, isRefused: boolean | Promise<boolean>): Promise<string> {
  const config = { https: 'auto', httpLinks: 'redirect', hsts: 'off' } as const;
  const site = new Site(new URL('https://links.example'));
  const route = router({
    https: httpsRules(
      config,
      site,
      () => isRefused,
      () => true,
    ),
    onAnyHost: () => null,
    trustedProxies: options.trustedProxies.parse('0'),
    baseIsLoopback: false,
    domainOf: (host) => ({ 'links.example': 0, 'go.example.org': custom })[host] ?? null,
    isCustom: (domainId) => domainId === custom,
    service: new Map(segments.map((segment) => [segment, answered])),
    hostless: new Set(),
    home: answered,
    link: answered,
    unknownHost: answered,
    badRequest: () => new Response('bad request'),
  });
  const { host } = new URL(url);
  const caller = { address: '203.0.113.7', keepOpen: () => {} };
  const answer = await route(new Request(url, { headers: { host } }), caller);
  return answer.headers.get('location') ?? answer.text();
}

test.each(['', 'app', 'app/links', 'api/v1/session', 'assets/app.js', 'qr/1'])(
  'the service at /%s is redirected to https even if its own host has no certificate',
  async (path) => {
    const secure = `https://links.example/${path}`;
    expect(await overHttp(`http://links.example/${path}`, true)).toBe(secure);
    expect(await overHttp(`http://links.example/${path}`, Promise.resolve(true))).toBe(secure);
  },
);

test.each([
  'links.example/offer',
  'links.example/_linnet/captcha.js',
  'go.example.org/',
  'go.example.org/offer',
])('visitors of %s are redirected to https unless the host has no certificate', async (address) => {
  for (const refused of [true, Promise.resolve(true)])
    expect(await overHttp(`http://${address}`, refused)).toBe('answered');
  for (const refused of [false, Promise.resolve(false)])
    expect(await overHttp(`http://${address}`, refused)).toBe(`https://${address}`);
});
