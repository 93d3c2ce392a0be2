import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { type Program, runServer, temporaryFolder } from './support/program.ts';
import { exchange } from './support/raw-http.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

/** Three nodes over one PostgreSQL database: one that can be killed, one whose connection can be cut, and another. */
let near: TestApp;
let far: TestApp;
let mortal: Program;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let wire: TcpProxy;
let owner: TestAccount;
let startMortal: () => Promise<string>;

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

beforeAll(async () => {
  const SECRET_KEY = 'the same secret on every node, long enough';
  const DATABASE_URL = await migratedPostgres();
  const TRUSTED_PROXIES = '1';
  wire = new TcpProxy(DATABASE_URL);
  await wire.open();
  folder = await temporaryFolder();
  startMortal = async () => {
    mortal = runServer({ PORT: '0', DATA_DIR: folder.path, SECRET_KEY, DATABASE_URL, TRUSTED_PROXIES });
    const { port } = new URL(await mortal.address());
    return `http://127.0.0.1:${port}`;
  };
  near = await startApp({ env: { SECRET_KEY, DATABASE_URL, TRUSTED_PROXIES } });
  // The default interval of the change feed.
  const overrides = { pollInterval: 400 };
  far = await startApp({ env: { SECRET_KEY, DATABASE_URL: wire.url, TRUSTED_PROXIES }, overrides });
  owner = await near.createAccount();
});
afterAll(async () => {
  mortal?.kill('SIGKILL');
  expect([...near.faults, ...far.faults]).toEqual([]);
  await Promise.all([near.stop(), far.stop(), mortal?.exited]);
  await wire.close();
  await folder[Symbol.asyncDispose]();
});

const call = async (method: string, path: string, body?: object) =>
  (await near.call(method, `/api/v1${path}`, { key: owner.key, ...(body && { body }) })).json;
const make = async (fields: object): Promise<{ id: number; suffix: string }> =>
  call('POST', '/link?disable_png=true', { destination_url: 'https://example.com/there', ...fields });

let visitors = 0;
/** Each time by another visitor. */
const visit = async (url: string, { suffix }: { suffix: string }): Promise<number> => {
  const from = `198.51.${Math.floor(++visitors / 250)}.${visitors % 250}`;
  const headers = { 'user-agent': browser, 'x-forwarded-for': from };
  return (await fetch(`${url}/${suffix}`, { redirect: 'manual', headers })).status;
};

/** 64 visitors at once, each visiting the nodes in turn, again and again, until the link has ended. */
async function visitToTheEnd(urls: readonly string[], link: { suffix: string }, onClick = (_: number) => {}) {
  const seen = { clicks: 0, unanswered: 0 };
  const visitor = async (number: number) => {
    for (let time = number; ; time++) {
      const status = await visit(urls[time % urls.length] ?? '', link).catch(() => 0);
      if (status === 410) return;
      if (status === 302) onClick(++seen.clicks);
      else if (status === 0) seen.unanswered++;
      else throw new Error(`answered with ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 64 }, (_, number) => visitor(number)));
  return seen;
}

test('of 64 simultaneous visitors on three nodes exactly as many pass as the limit says, and no more if a node is killed', async () => {
  const nodes = [near.url, far.url, await startMortal()];
  const link = await make({ click_limit: 400 });
  expect(await visitToTheEnd(nodes, link)).toEqual({ clicks: 400, unanswered: 0 });

  const other = await make({ click_limit: 600 });
  const seen = await visitToTheEnd(nodes, other, (clicks) => {
    if (clicks === 200) mortal.kill('SIGKILL');
  });
  expect(seen.clicks).toBeLessThanOrEqual(600);
  // A click that was claimed for a visitor who then got no answer is lost.
  expect(seen.clicks + seen.unanswered).toBeGreaterThanOrEqual(600);
  expect((await call('GET', `/link/${other.id}`)).clicks_left).toBe(0);

  await mortal.exited;
  const again = await startMortal();
  expect(await visit(again, other)).toBe(410);
  const total = async () => (await call('GET', `/link/${other.id}`)).clicks;
  await eventually(async () => (await total()) >= seen.clicks, 'every answered click to be counted');
  expect(await total()).toBeLessThanOrEqual(600);
  mortal.kill('SIGKILL');
  await mortal.exited;
});

test('10,000 previews, bots, prefetches and HEAD requests use up nothing', async () => {
  const link = await make({ click_limit: 3 });
  const request = (method: string, headers: string) =>
    `${method} /${link.suffix} HTTP/1.1\r\nHost: ${new URL(near.url).host}\r\n${headers}\r\n\r\n`;
  const kinds = [
    request('GET', 'User-Agent: WhatsApp/2.23.20.0'),
    request('GET', 'User-Agent: Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'),
    request('GET', `User-Agent: ${browser}\r\nSec-Purpose: prefetch;prerender`),
    request('HEAD', `User-Agent: ${browser}`),
  ];
  const perExchange = 250;
  for (let sent = 0; sent < 10_000; sent += perExchange * kinds.length)
    for (const kind of kinds) {
      const options = { answers: perExchange, bodyless: kind.startsWith('HEAD') };
      const answers = await exchange(near.url, kind.repeat(perExchange), options);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 302));
      expect(answers).toHaveLength(perExchange);
    }
  expect((await call('GET', `/link/${link.id}`)).clicks_left).toBe(3);
  const answers = await Promise.all([1, 2, 3, 4].map(() => visit(near.url, link)));
  expect(answers.sort()).toEqual([302, 302, 302, 410]);
});

test('a limit that is raised or cleared on one node opens the link on the others', async () => {
  const link = await make({ click_limit: 1 });
  expect([await visit(far.url, link), await visit(far.url, link)]).toEqual([302, 410]);
  const opened = () =>
    eventually(
      async () => (await visit(far.url, link)) === 302,
      'the other node to know',
      scaledToLoad(2_000),
    );
  await call('PATCH', `/link/${link.id}`, { click_limit: 2 });
  await opened();
  expect(await visit(near.url, link)).toBe(410);
  await call('PATCH', `/link/${link.id}`, { click_limit: null });
  await opened();
  expect([await visit(far.url, link), await visit(near.url, link)]).toEqual([302, 302]);
});

test('while the database is away, a link with clicks left is 503, one without has ended, and none are used up', async () => {
  const [link, spent, marker] = [
    await make({ click_limit: 3 }),
    await make({ click_limit: 1 }),
    await make({}),
  ];
  const marked = async () => (await far.visit(`/${marker.suffix}`)).headers.get('location');
  expect(await visit(far.url, spent)).toBe(302);
  await marked();
  // The feed is ordered: a node that has seen this change has seen those before it, and caches what it loads now.
  await call('PATCH', `/link/${marker.id}`, { destination_url: 'https://example.com/marked' });
  await eventually(async () => (await marked()) === 'https://example.com/marked', 'the feed to be read');
  expect([await visit(far.url, link), await visit(far.url, spent)]).toEqual([302, 410]);
  await wire.close();
  const away = await far.visit(`/${link.suffix}`);
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await visit(far.url, spent)).toBe(410);
  expect((await far.visit(`/${link.suffix}`, { 'user-agent': 'curl/8.5.0' })).status).toBe(302);
  await wire.open();
  expect(await visit(near.url, link)).toBe(302);
  await eventually(async () => (await visit(far.url, link)) === 302, 'the database to be back');
  expect(await visit(far.url, link)).toBe(410);
});
