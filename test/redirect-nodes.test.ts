import { afterAll, beforeAll, expect, test } from 'bun:test';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

/** Two nodes over one PostgreSQL database, each with its own cache. */
let one: TestApp;
let other: TestApp;
let owner: TestAccount;

beforeAll(async () => {
  const SECRET_KEY = 'the same secret on every node, long enough';
  const DATABASE_URL = await migratedPostgres();
  one = await startApp({ env: { SECRET_KEY, DATABASE_URL } });
  // The default interval of the change feed.
  other = await startApp({ env: { SECRET_KEY, DATABASE_URL }, overrides: { pollInterval: 400 } });
  owner = await one.createAccount();
});
afterAll(async () => {
  expect([...one.faults, ...other.faults]).toEqual([]);
  await Promise.all([one.stop(), other.stop()]);
});

async function make(fields: object = {}): Promise<{ id: number; path: string }> {
  const body = { destination_url: 'https://destination.example/first', ...fields };
  const made = await one.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
  return { id: made.json.id, path: new URL(made.json.url).pathname };
}

/** A change on one node reaches the other within two seconds. */
const soon = (check: () => Promise<boolean>) =>
  eventually(check, 'the other node to know', scaledToLoad(2_000));

test('a change made through one node is seen by visitors of the other within two seconds', async () => {
  const { id, path } = await make();
  const target = async () => (await other.visit(path)).headers.get('location');
  expect(await target()).toBe('https://destination.example/first');
  const body = { destination_url: 'https://destination.example/second' };
  await one.call('PATCH', `/api/v1/link/${id}`, { key: owner.key, body });
  await soon(async () => (await target()) === body.destination_url);
  await one.call('DELETE', `/api/v1/link/${id}`, { key: owner.key });
  await soon(async () => (await other.visit(path)).status === 404);
});

test('an address changed on one node works on the other, the old one and the new one, and both follow the link', async () => {
  const suffix = 'first-address';
  const { id } = await make({ suffix });
  const targets = () =>
    Promise.all(
      [suffix, 'second-address'].map(async (one) => (await other.visit(`/${one}`)).headers.get('location')),
    );
  expect(await targets()).toEqual(['https://destination.example/first', null]);
  const change = (body: object) => one.call('PATCH', `/api/v1/link/${id}`, { key: owner.key, body });
  await change({ suffix: 'second-address' });
  const first = 'https://destination.example/first';
  await soon(async () => Bun.deepEquals(await targets(), [first, first]));
  const next = 'https://destination.example/next';
  await change({ destination_url: next });
  await soon(async () => Bun.deepEquals(await targets(), [next, next]));
  await change({ aliases: [] });
  await soon(async () => Bun.deepEquals(await targets(), [null, next]));
});

test('a link created on one node is found on the other, even after a miss there', async () => {
  const suffix = 'made-later';
  expect((await other.visit(`/${suffix}`)).status).toBe(404);
  await make({ suffix });
  await soon(async () => (await other.visit(`/${suffix}`)).status === 302);
});

test('all links of one call are found on the other, even after misses there', async () => {
  const suffixes = Array.from({ length: 230 }, (_, number) => `one-of-many-${number}`);
  const askAll = () => Promise.all(suffixes.map((suffix) => other.visit(`/${suffix}`)));
  expect((await askAll()).map((answer) => answer.status)).toEqual(suffixes.map(() => 404));
  const links = suffixes.map((suffix) => ({ suffix, destination_url: 'https://destination.example/' }));
  await one.call('POST', '/api/v1/link/bulk', { key: owner.key, body: { links } });
  await soon(async () => (await askAll()).every((answer) => answer.status === 302));
});

test('a hundred parallel changes, on both nodes, leave no stale links', async () => {
  const links = await Promise.all(Array.from({ length: 20 }, () => make()));
  const visitAll = (node: TestApp) => Promise.all(links.map(({ path }) => node.visit(path)));
  await Promise.all([visitAll(one), visitAll(other)]);
  await Promise.all(
    Array.from({ length: 100 }, (_, time) => {
      const node = time % 2 ? one : other;
      const body = { destination_url: `https://destination.example/${time}` };
      return node.call('PATCH', `/api/v1/link/${links[time % 20]?.id}`, { key: owner.key, body });
    }),
  );
  const stored = await Promise.all(
    links.map(
      async ({ id }) =>
        (await one.call('GET', `/api/v1/link/${id}`, { key: owner.key })).json.destination_url,
    ),
  );
  for (const node of [one, other]) {
    const shown = async () => (await visitAll(node)).map((answer) => answer.headers.get('location'));
    await soon(async () => JSON.stringify(await shown()) === JSON.stringify(stored));
    expect(await shown()).toEqual(stored);
  }
});

test('a password entered on one node is not requested on the other, and wrong ones count on both', async () => {
  const { path } = await make({ password: 'open sesame' });
  const guess = (node: TestApp, password: string) =>
    node.visit(path, {}, { method: 'POST', body: new URLSearchParams({ password }) });
  const cookie = (await guess(one, 'open sesame')).headers.get('set-cookie')?.split(';')[0] ?? '';
  expect((await other.visit(path, { cookie })).status).toBe(302);
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, time) => guess(time % 2 ? one : other, `wrong ${time}`)),
  );
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
});

test('a captcha is accepted once on any node: of fifty uses on each node, one passes', async () => {
  const { path } = await make({ captcha: true });
  const written = /data-challenge="([^"]+)"/.exec((await one.visit(path)).text)?.[1] ?? '';
  const challenge = JSON.parse(written.replaceAll('&#34;', '"'));
  const solution = await solveChallenge({ challenge, deriveKey });
  const altcha = btoa(JSON.stringify({ challenge, solution }));
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, time) =>
      (time % 2 ? one : other).visit(path, {}, { method: 'POST', body: new URLSearchParams({ altcha }) }),
    ),
  );
  expect(answers.filter(({ status }) => status === 302)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(99);
});
