import { beforeAll, expect, test } from 'bun:test';
import { hourLength } from '../src/rules/durations.ts';
import { firefox } from './support/agents-of-people.ts';
import { appForSuite } from './support/app-suite.ts';
import { exchange, type RawResponse } from './support/raw-http.ts';
import { seededRandom } from './support/seeded-random.ts';

/**
 * Random visits, each sent twice: as it is, and with a non-ASCII byte in a meaningless header, which keeps it off the fast
 * path. Each path has its own copy of every link, and both must answer and record the same.
 */
const detour = 'X-Detour: \xe9\r\n';
const destination = 'https://destination.example/x?y=z';
const linkKinds: readonly (readonly [string, object])[] = [
  ['plain', {}],
  ['deep/er', {}],
  ['caf\u00e9', {}],
  ['devices', { android_link_destination: `${destination}&a`, ios_link_destination: `${destination}&i` }],
  ['card', { og_title: 'A title' }],
  ['guarded', { bot_protection: true }],
  ['guarded-card', { bot_protection: true, og_description: 'Words' }],
  ['locked', { password: 'open sesame' }],
  ['checked', { captcha: true }],
  ['early', { start_date: new Date(Date.now() + 7_200_000).toISOString() }],
  ['onward', { forward_query: 'override', forward_path: true, redirect_status: 301 }],
  [
    'ruled',
    {
      rules: [
        {
          id: 'r_0',
          when: { country: ['NL', 'CH'], not: { language: ['en'] } },
          destination_url: `${destination}&country`,
        },
        {
          id: 'r_1',
          when: { device: ['mobile'], source: ['link'] },
          destination_url: `${destination}&mobile`,
        },
        {
          id: 'r_2',
          when: { referrer: ['example.com', 'news.example.org'] },
          destination_url: `${destination}&from`,
        },
        { id: 'r_3', when: { query: { utm_source: [] } }, destination_url: `${destination}&mail` },
        { id: 'r_4', when: { network: ['203.0.113.0/24'] }, destination_url: `${destination}&network` },
      ],
    },
  ],
  ['over', { expiration_date: new Date(Date.now() + 60_000).toISOString() }],
];

const draw = seededRandom(20_261_120);
const pick = <T>(choices: readonly T[]): T => choices[draw(choices.length)] as T;
const perhaps = (chance: number, text: () => string): string => (draw(chance) === 0 ? text() : '');

const agents = [
  'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  firefox,
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'curl/8.5.0',
  'WhatsApp/2.23',
  '',
  'x'.repeat(600),
  '"<script>"\\',
];
const headers: readonly (readonly [string, readonly string[]])[] = [
  ['User-Agent', agents],
  ['Accept-Language', ['de-CH,de;q=0.8', 'en', '', '*', 'xx-invalid-;q', ',,']],
  [
    'Referer',
    [
      'https://news.example.org/p?q',
      'http://www.Example.com:80',
      'android-app://com.example',
      'nonsense',
      '',
      'https://',
    ],
  ],
  ['DNT', ['1', '0', '', '11']],
  ['Sec-GPC', ['1', '0', 'true']],
  ['Sec-Purpose', ['prefetch', 'prefetch;prerender', '', 'none']],
  ['Purpose', ['prefetch', 'preview', '']],
  ['X-Purpose', ['preview', '']],
  ['X-Moz', ['prefetch', '']],
  ['Sec-CH-UA-Platform', ['"Android"', '"iOS"', 'Windows', '""', 'Unknown', '']],
  [
    'X-Forwarded-For',
    [
      '203.0.113.9',
      '198.51.100.3, 203.0.113.9',
      'unknown',
      '',
      ',',
      '[2001:db8::1]:99',
      '::ffff:203.0.113.9',
      '1.2.3',
    ],
  ],
  ['CF-IPCountry', ['NL', 'XX', 'T1', '', 'nl', 'Netherlands']],
  ['X-Vercel-IP-Country', ['CH', '']],
  ['X-Country-Code', ['BR', 'Nowhere']],
  ['Connection', ['keep-alive', 'Keep-Alive', 'close', 'Close', 'keep-alive, close', 'te']],
  ['Cookie', ['linnet=x', 'linnet_pass=1.2', '']],
  ['Accept', ['text/html', '*/*']],
  ['If-None-Match', ['*', '"x"']],
  ['Range', ['bytes=0-1']],
  ['Accept-Encoding', ['gzip, br', '']],
  ['Content-Length', ['0']],
  ['Via', ['1.1 proxy']],
  ['Forwarded', ['for=203.0.113.60']],
  ['Upgrade-Insecure-Requests', ['1']],
];
const queries = [
  '',
  '',
  '?',
  '?qr',
  '?utm_source=mail&utm_campaign=week%2012',
  '?utm_source=a&utm_source=b',
  '?UTM_medium=x',
  '?q=%zz&utm_term=%F0%9F%8E%89+x',
  '??',
  '?a=1;b&=',
  '?utm_content=../..',
  "?q='",
  '?q="<>',
  '?{|}^`',
];
const shapes: readonly ((suffix: string) => string)[] = [
  (suffix) => `/${suffix}`,
  (suffix) => `/${suffix}`,
  (suffix) => `/${suffix}/`,
  (suffix) => `/%${suffix.charCodeAt(0).toString(16)}${suffix.slice(1)}`,
  (suffix) => `/${suffix.toUpperCase()}`,
  (suffix) => `/./${suffix}`,
  (suffix) => `/x/../${suffix}`,
  (suffix) => `/%2e/${suffix}`,
  (suffix) => `/${suffix}/more/of%20it/`,
  (suffix) => `/${suffix}/it's|"[`,
  (suffix) => `/${suffix}/a//b/../c`,
  (suffix) => `/${suffix}/.`,
  (suffix) => `/${suffix}//`,
  (suffix) => `//${suffix}`,
  (suffix) => `/${suffix};x`,
  (suffix) => `/${suffix}%00`,
  (suffix) => `/${suffix.replace('/', '%2F')}`,
  (suffix) => `/${suffix}%`,
  (suffix) => `/${suffix}#part`,
];

/** Lengths around which the fast path may pass a request on to the app server. */
const bounds = [256, 1_024, 2_048, 4_096, 8_192];
const padding = (): string => `X-Pad: ${'x'.repeat(Math.max(0, pick(bounds) - draw(280)))}\r\n`;

interface RandomVisit {
  readonly kind: number;
  readonly method: string;
  readonly target: (suffix: string) => string;
  readonly lines: string;
  /** Where its bytes are split, as fractions of its length. */
  readonly cuts: readonly number[];
}

function randomVisit(host: string): RandomVisit {
  const [shape, query] = [pick(shapes), pick(queries)];
  const chosen = Array.from({ length: draw(6) }, () => pick(headers));
  const lines = chosen.map(([name, values]) => {
    const headerName = pick([name, name, name.toLowerCase(), name.toUpperCase()]);
    return `${headerName}:${pick([' ', ' ', '', '  '])}${pick(values)}${perhaps(8, () => ' ')}\r\n`;
  });
  // Repeated DNT and Sec-GPC headers have a test of their own below.
  const seenNames = new Set<string>();
  const kept = lines.filter((line) => {
    const [name = ''] = line.toLowerCase().split(':');
    if (name !== 'dnt' && name !== 'sec-gpc') return true;
    return !seenNames.has(name) && seenNames.add(name);
  });
  const hosts = [host, host, host.toUpperCase(), host.replace(':', '.:'), 'LOCALHOST', 'elsewhere.example'];
  kept.splice(draw(kept.length + 1), 0, `Host: ${pick(hosts)}\r\n`);
  return {
    kind: draw(linkKinds.length + 1),
    method: pick(['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST']),
    target: (suffix) => shape(suffix) + query,
    lines: kept.join('') + perhaps(4, padding),
    cuts: Array.from({ length: draw(4) }, () => draw(1_000) / 1_000).sort(),
  };
}

const app = appForSuite({ env: { TRUSTED_PROXIES: '1' } });
let host: string;
const ids = { one: [] as number[], two: [] as number[] };

beforeAll(async () => {
  host = new URL(app.url).host;
  const { key } = await app.createAccount();
  for (const [suffix, fields] of linkKinds)
    for (const copy of ['one', 'two'] as const) {
      const body = { destination_url: destination, suffix: `${copy}-${suffix}`, ...fields };
      const { status, json, text } = await app.call('POST', '/api/v1/link', { key, body });
      if (status !== 201) throw new Error(text);
      ids[copy].push(json.id);
    }
  app.clock.now += hourLength;
});

async function send(visit: RandomVisit, copy: 'one' | 'two'): Promise<RawResponse | undefined> {
  const suffix = `${copy}-${linkKinds[visit.kind]?.[0] ?? 'missing'}`;
  const target = visit.target(encodeURI(suffix));
  const head = `${visit.method} ${target} HTTP/1.1\r\n${visit.lines}${copy === 'two' ? detour : ''}\r\n`;
  const responses = await exchange(app.url, head, {
    responses: 1,
    bodyless: visit.method === 'HEAD',
    timeout: 30_000,
    cuts: visit.cuts.map((part) => Math.floor(part * head.length)).filter((cut) => cut > 0),
  });
  return responses[0];
}

/** The answer without its date, request id and Connection header, and without what differs for each captcha or card. */
function comparable(response: RawResponse | undefined) {
  if (response === undefined) return undefined;
  const { date: _, connection: __, 'x-request-id': ___, ...rest } = response.headers;
  const body = response.body
    .replace(/data-challenge="[^"]*"|\{&#34;[^<"]*\}/g, '')
    .replace(/(?:one|two)-/gi, '');
  return { status: response.status, headers: rest, body };
}

async function recordedHits(copy: 'one' | 'two') {
  const rows = await app.app.context.database.read
    .selectFrom('hits')
    .selectAll()
    .where('link_id', 'in', ids[copy])
    .orderBy('id')
    .execute();
  return rows.map(({ id: _, link_id, ...row }) => ({ kind: ids[copy].indexOf(link_id), ...row }));
}

test('a thousand generated visits are answered and recorded the same on both paths', async () => {
  const differences: unknown[] = [];
  for (let visits = 0; visits < 1_000; visits++) {
    const visit = randomVisit(host);
    const [one, other] = [comparable(await send(visit, 'one')), comparable(await send(visit, 'two'))];
    if (!Bun.deepEquals(one, other)) differences.push({ visit, target: visit.target('s'), one, other });
    app.clock.now += draw(3) * 700;
  }
  expect(differences.slice(0, 3)).toEqual([]);
  await app.app.clicks.settled();
  const hits = await recordedHits('one');
  expect(hits.length).toBeGreaterThan(250);
  expect(hits).toEqual(await recordedHits('two'));
});

test('a repeated Do Not Track header means the same on both paths', async () => {
  const visit = { kind: 0, method: 'GET', target: (suffix: string) => `/${suffix}`, cuts: [] };
  const lines = `Host: ${host}\r\nUser-Agent: ${agents[0]}\r\nDNT: 0\r\nDNT: 1\r\n`;
  for (const copy of ['one', 'two'] as const) await send({ ...visit, lines }, copy);
  await app.app.clicks.settled();
  expect((await recordedHits('one')).at(-1)).toEqual((await recordedHits('two')).at(-1));
});
