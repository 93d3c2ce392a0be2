import { afterAll, beforeAll, expect, test } from 'bun:test';
import { firefox } from './support/agents-of-people.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { type Program, runServer, temporaryFolder } from './support/program.ts';
import { exchange } from './support/raw-http.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';
import { SECRET_KEY } from './support/secret-key.ts';
import { TcpProxy } from './support/tcp-proxy.ts';

/** Three nodes over one PostgreSQL database: A, B, whose connection to the database can be cut, and one that is killed. */
let nodeA: TestApp;
let nodeB: TestApp;
let killedNode: Program;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let proxy: TcpProxy;
let owner: TestAccount;
let settingsOfKilledNode: Record<string, string>;
let startKilledNode: () => Promise<string>;

const browser = firefox;

beforeAll(async () => {
  const DATABASE_URL = await migratedPostgres();
  const TRUSTED_PROXIES = '1';
  proxy = new TcpProxy(DATABASE_URL);
  await proxy.open();
  folder = await temporaryFolder();
  settingsOfKilledNode = { DATA_DIR: folder.path, SECRET_KEY, DATABASE_URL, TRUSTED_PROXIES };
  startKilledNode = async () => {
    killedNode = runServer({ PORT: '0', ...settingsOfKilledNode });
    const { port } = new URL(await killedNode.address());
    return `http://127.0.0.1:${port}`;
  };
  nodeA = await startApp({ env: { SECRET_KEY, DATABASE_URL, TRUSTED_PROXIES } });
  // The default interval of the change feed.
  const overrides = { pollInterval: 400 };
  nodeB = await startApp({ env: { SECRET_KEY, DATABASE_URL: proxy.url, TRUSTED_PROXIES }, overrides });
  owner = await nodeA.createAccount();
});
afterAll(async () => {
  killedNode?.kill('SIGKILL');
  expect([...nodeA.faults, ...nodeB.faults]).toEqual([]);
  await Promise.all([nodeA.stop(), nodeB.stop(), killedNode?.exited]);
  await proxy.close();
  await folder[Symbol.asyncDispose]();
});

async function call(method: string, path: string, body?: object) {
  const { status, text, json } = await nodeA.call(method, `/api/v1${path}`, {
    key: owner.key,
    ...(body && { body }),
  });
  if (status >= 400) throw new Error(`${method} ${path}: ${status} ${text}`);
  return json;
}
const createLink = async (fields: object): Promise<{ id: number; suffix: string }> =>
  call('POST', '/link?disable_png=true', { destination_url: 'https://example.com/there', ...fields });

let visitors = 0;
/** Visits as a new visitor each time. */
const visit = async (url: string, { suffix }: { suffix: string }): Promise<number> => {
  const from = `198.51.${Math.floor(++visitors / 250)}.${visitors % 250}`;
  const headers = { 'user-agent': browser, 'x-forwarded-for': from };
  return (await fetch(`${url}/${suffix}`, { redirect: 'manual', headers })).status;
};

/** 64 visitors at once, each visiting the nodes in turn, again and again, until the link has ended. */
async function visitUntilEnded(
  urls: readonly string[],
  link: { suffix: string },
  onClick = (_: number) => {},
) {
  const results = { clicks: 0, unanswered: 0, refused: 0 };
  const visitor = async (number: number) => {
    for (let turn = number; ; turn++) {
      const status = await visit(urls[turn % urls.length] ?? '', link).catch(() => 0);
      if (status === 410) return;
      if (status === 302) onClick(++results.clicks);
      else if (status === 0) results.unanswered++;
      // On a busy machine the database may give no answer in time.
      else if (status === 503) results.refused++;
      else throw new Error(`unexpected status ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 64 }, (_, number) => visitor(number)));
  return results;
}

/** A click that was claimed for a visitor who then got no redirect is lost: exactly the limit is used up. */
function expectLimit(
  { clicks, unanswered, refused }: Awaited<ReturnType<typeof visitUntilEnded>>,
  limit: number,
) {
  expect(clicks).toBeLessThanOrEqual(limit);
  expect(clicks + unanswered + refused).toBeGreaterThanOrEqual(limit);
  // Without this, a node that refuses everybody would pass.
  expect(clicks).toBeGreaterThan(limit / 2);
}

test('64 simultaneous visitors on three nodes get exactly as many redirects as the limit, and no more if a node is killed', async () => {
  const nodes = [nodeA.url, nodeB.url, await startKilledNode()];
  const link = await createLink({ click_limit: 100 });
  const first = await visitUntilEnded(nodes, link);
  expect(first.unanswered).toBe(0);
  expectLimit(first, 100);

  const other = await createLink({ click_limit: 200 });
  const results = await visitUntilEnded(nodes, other, (clicks) => {
    if (clicks === 70) killedNode.kill('SIGKILL');
  });
  expectLimit(results, 200);
  expect((await call('GET', `/link/${other.id}`)).clicks_left).toBe(0);

  await killedNode.exited;
  const again = await startApp({ env: settingsOfKilledNode });
  expect(await visit(again.url, other)).toBe(410);
  const total = async () => (await call('GET', `/link/${other.id}`)).clicks;
  await eventually(async () => (await total()) >= results.clicks, 'every answered click to be counted');
  expect(await total()).toBeLessThanOrEqual(200);
  await again.stop();
});

test('10,000 previews, bots, prefetches and HEAD requests use up nothing', async () => {
  const link = await createLink({ click_limit: 3 });
  const request = (method: string, headers: string) =>
    `${method} /${link.suffix} HTTP/1.1\r\nHost: ${new URL(nodeA.url).host}\r\n${headers}\r\n\r\n`;
  const requests = [
    request('GET', 'User-Agent: WhatsApp/2.23.20.0'),
    request('GET', 'User-Agent: Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'),
    request('GET', `User-Agent: ${browser}\r\nSec-Purpose: prefetch;prerender`),
    request('HEAD', `User-Agent: ${browser}`),
  ];
  const perExchange = 250;
  for (let sent = 0; sent < 10_000; sent += perExchange * requests.length)
    for (const bytes of requests) {
      const options = { responses: perExchange, bodyless: bytes.startsWith('HEAD') };
      const responses = await exchange(nodeA.url, bytes.repeat(perExchange), options);
      expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 302));
      expect(responses).toHaveLength(perExchange);
    }
  expect((await call('GET', `/link/${link.id}`)).clicks_left).toBe(3);
  const responses = await Promise.all([1, 2, 3, 4].map(() => visit(nodeA.url, link)));
  expect(responses.sort()).toEqual([302, 302, 302, 410]);
});

test('a limit that is raised or cleared on one node opens the link on the others', async () => {
  const link = await createLink({ click_limit: 1 });
  expect([await visit(nodeB.url, link), await visit(nodeB.url, link)]).toEqual([302, 410]);
  const eventuallyRedirects = () =>
    eventually(
      async () => (await visit(nodeB.url, link)) === 302,
      'the other node to redirect',
      scaledToLoad(2_000),
    );
  await call('PATCH', `/link/${link.id}`, { click_limit: 2 });
  await eventuallyRedirects();
  expect(await visit(nodeA.url, link)).toBe(410);
  await call('PATCH', `/link/${link.id}`, { click_limit: null });
  await eventuallyRedirects();
  expect([await visit(nodeB.url, link), await visit(nodeA.url, link)]).toEqual([302, 302]);
});

test('while the database is away, a link with clicks left gets 503, one without has ended, and no click is used up', async () => {
  const [link, spent, marker] = [
    await createLink({ click_limit: 3 }),
    await createLink({ click_limit: 1 }),
    await createLink({}),
  ];
  const markerDestination = async () => (await nodeB.visit(`/${marker.suffix}`)).headers.get('location');
  expect(await visit(nodeB.url, spent)).toBe(302);
  await markerDestination();
  // The feed is ordered: a node that has seen this change has seen those before it, and caches what it loads now.
  await call('PATCH', `/link/${marker.id}`, { destination_url: 'https://example.com/marked' });
  await eventually(
    async () => (await markerDestination()) === 'https://example.com/marked',
    'the feed to be read',
  );
  expect([await visit(nodeB.url, link), await visit(nodeB.url, spent)]).toEqual([302, 410]);
  await proxy.close();
  const unavailable = await nodeB.visit(`/${link.suffix}`);
  expect([unavailable.status, unavailable.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await visit(nodeB.url, spent)).toBe(410);
  expect((await nodeB.visit(`/${link.suffix}`, { 'user-agent': 'curl/8.5.0' })).status).toBe(302);
  await proxy.open();
  expect(await visit(nodeA.url, link)).toBe(302);
  await eventually(async () => (await visit(nodeB.url, link)) === 302, 'the database to be back');
  expect(await visit(nodeB.url, link)).toBe(410);
});
