import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../src/config/load.ts';
import { hourLength } from '../src/rules/durations.ts';
import { signatureHeaders } from '../src/webhooks/sign.ts';
import { appWithOwner } from './support/app-suite.ts';
import { temporaryFolder } from './support/program.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

const page = readFileSync(join(import.meta.dir, '..', 'docs', 'webhooks.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text]) => ({
  language,
  text: text ?? '',
}));
const inLanguage = (language: string) =>
  blocks.filter((block) => block.language === language).map(({ text }) => text);

const target = targetOfEachTest();
const { app, owner } = appWithOwner({ env: { TRUSTED_PROXIES: '1', WEBHOOK_ALLOW: '127.0.0.1' } });
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

type Snippet = Record<string, (...given: unknown[]) => unknown>;
let snippets = 0;

/** Runs a snippet as it is on the page. */
function run(text: string): Promise<Snippet> {
  const file = join(folder.path, `snippet-${++snippets}.ts`);
  writeFileSync(file, text.replace("'standardwebhooks'", `'${require.resolve('standardwebhooks')}'`));
  return import(file);
}

const message = { id: 'msg_1', body: '{"event":"click","payload":{"suffix":"grüße 🐦"}}' };
const keys: [key: string, bytes: Buffer][] = [
  ['whsec_bXkgc2VjcmV0IGtleSBvZiAyNCBieXRlcyE=', Buffer.from('my secret key of 24 bytes!')],
  ['whsec_bXkgc2VjcmV0IGtleSBvZiAyNCBieXRlcyE', Buffer.from('my secret key of 24 bytes!')],
  ...['a plain secret', 'geheim-für-Ümläute', 'YWJj', 'whsec_', 'whsec_a', 'whsec_not base64!'].map(
    (key): [string, Buffer] => [key, Buffer.from(key)],
  ),
];

test('the page has the snippets that are tested here', () => {
  expect(blocks.map(({ language }) => language)).toEqual(['sh', 'json', 'ts', 'ts', 'sh']);
});

test.each(keys)(
  'with the key %j the snippet of the page for the library accepts only our messages',
  async (key) => {
    const { readEvent } = await run(inLanguage('ts')[0] ?? '');
    const headers = signatureHeaders(message, key, Date.now());
    expect(readEvent?.(key, message.body, headers)).toEqual(JSON.parse(message.body));
    expect(() => readEvent?.(key, `${message.body} `, headers)).toThrow('No matching signature');
    expect(() => readEvent?.(`${key}b`, message.body, headers)).toThrow('No matching signature');
  },
);

test.each(keys)(
  'with the key %j the snippet of the page without a library accepts only our messages',
  async (key, bytes) => {
    const { isOurs } = await run(inLanguage('ts')[1] ?? '');
    const headers = signatureHeaders(message, key, Date.now());
    expect(isOurs?.(bytes, message.body, headers)).toBe(true);
    expect(isOurs?.(bytes, `${message.body} `, headers)).toBe(false);
    expect(isOurs?.(bytes, message.body, { ...headers, 'webhook-id': 'msg_2' })).toBe(false);
    expect(isOurs?.(bytes, message.body, {})).toBe(false);
    const old = signatureHeaders(message, key, Date.now() - hourLength);
    expect(isOurs?.(bytes, message.body, old)).toBe(false);
  },
);

test('the commands of the page give a link a webhook and test it; the message matches the page, and can be verified as described', async () => {
  const hook = target();
  const created = await app.call('POST', '/api/v1/link', {
    key: owner.key,
    body: { destination_url: 'https://example.com/spring' },
  });
  const commands = (inLanguage('sh')[0] ?? '')
    .replaceAll('https://links.example.com', app.url)
    .replaceAll('/link/7', `/link/${created.json.id}`)
    .replaceAll('https://example.com/hook', hook.url)
    .replaceAll('curl ', 'curl --silent --fail-with-body ');
  const shell = Bun.spawn(['sh', '-e', '-c', commands], { env: { ...process.env, KEY: owner.key } });
  expect([await shell.exited, await new Response(shell.stdout).text()]).toEqual([
    0,
    expect.stringContaining('"status":200'),
  ]);
  await app.visit(new URL(created.json.url).pathname, { 'x-forwarded-for': '127.0.0.77' });
  const [testCall, clickCall] = await hook.calls(2);
  const { readEvent } = await run(inLanguage('ts')[0] ?? '');
  const key = /whsec_[^"]+/.exec(commands)?.[0];
  const documented = JSON.parse(inLanguage('json')[0] ?? '');
  for (const [call, further] of [
    [testCall, ['sample']],
    [clickCall, []],
  ] as const) {
    const event = readEvent?.(key, call?.body, call?.headers) as typeof documented;
    expect(Object.keys(event)).toEqual(Object.keys(documented));
    expect(Object.keys(event.payload)).toEqual([...Object.keys(documented.payload), ...further]);
    for (const [name, value] of Object.entries(documented.payload)) {
      expect([name, typeof event.payload[name]]).toEqual([name, typeof value]);
    }
  }
  // The loopback address has no known country.
  expect(JSON.parse(clickCall?.body ?? '').payload.country).toBe('Unknown');
});

test('the setting on the page is accepted by the program', () => {
  const [name, value] = (inLanguage('sh')[1] ?? '').trim().split('=');
  const config = loadConfig({ BASE_URL: 'https://links.example.com', [name ?? '']: value ?? '' });
  expect(JSON.stringify(config)).toContain('n8n.internal');
});
