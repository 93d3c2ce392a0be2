import { expect, test } from 'bun:test';
import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { TestApp } from './support/app.ts';
import { nodesWithOwner } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

/** Two nodes on one PostgreSQL database, each with its own cache. */
const { nodeA, nodeB, owner } = nodesWithOwner(
  {},
  // The default interval of the change feed.
  { overrides: { pollInterval: 400 } },
);

const createLink = (fields: object = {}) =>
  nodeA.createLink(owner, { destination_url: 'https://destination.example/first', ...fields });

/** A change on one node reaches the other within two seconds. */
const eventuallyApplied = (check: () => Promise<boolean>) =>
  eventually(check, 'the other node to apply the change', scaledToLoad(2_000));

test('a change made through one node is seen by visitors of the other within two seconds', async () => {
  const { id, path } = await createLink();
  const target = async () => (await nodeB.visit(path)).headers.get('location');
  expect(await target()).toBe('https://destination.example/first');
  const body = { destination_url: 'https://destination.example/second' };
  await nodeA.call('PATCH', `/api/v1/link/${id}`, { key: owner.key, body });
  await eventuallyApplied(async () => (await target()) === body.destination_url);
  await nodeA.call('DELETE', `/api/v1/link/${id}`, { key: owner.key });
  await eventuallyApplied(async () => (await nodeB.visit(path)).status === 404);
});

test('a suffix changed on one node works on the other, as does the previous one, and both follow changes of the link', async () => {
  const suffix = 'first-address';
  const { id } = await createLink({ suffix });
  const targets = () =>
    Promise.all(
      [suffix, 'second-address'].map(async (path) => (await nodeB.visit(`/${path}`)).headers.get('location')),
    );
  expect(await targets()).toEqual(['https://destination.example/first', null]);
  const change = (body: object) => nodeA.call('PATCH', `/api/v1/link/${id}`, { key: owner.key, body });
  await change({ suffix: 'second-address' });
  const firstDestination = 'https://destination.example/first';
  await eventuallyApplied(async () => Bun.deepEquals(await targets(), [firstDestination, firstDestination]));
  const nextDestination = 'https://destination.example/next';
  await change({ destination_url: nextDestination });
  await eventuallyApplied(async () => Bun.deepEquals(await targets(), [nextDestination, nextDestination]));
  await change({ aliases: [] });
  await eventuallyApplied(async () => Bun.deepEquals(await targets(), [null, nextDestination]));
});

test('a link created on one node is found on the other, even after a miss there', async () => {
  const suffix = 'made-later';
  expect((await nodeB.visit(`/${suffix}`)).status).toBe(404);
  await createLink({ suffix });
  await eventuallyApplied(async () => (await nodeB.visit(`/${suffix}`)).status === 302);
});

test('all links created in one call are found on the other node, even after misses there', async () => {
  const suffixes = Array.from({ length: 230 }, (_, number) => `one-of-many-${number}`);
  const visitSuffixes = () => Promise.all(suffixes.map((suffix) => nodeB.visit(`/${suffix}`)));
  expect((await visitSuffixes()).map((response) => response.status)).toEqual(suffixes.map(() => 404));
  const links = suffixes.map((suffix) => ({ suffix, destination_url: 'https://destination.example/' }));
  await nodeA.call('POST', '/api/v1/link/bulk', { key: owner.key, body: { links } });
  await eventuallyApplied(async () => (await visitSuffixes()).every((response) => response.status === 302));
});

test('a hundred parallel changes, on both nodes, leave no stale links', async () => {
  const links = await Promise.all(Array.from({ length: 20 }, () => createLink()));
  const visitAll = (node: TestApp) => Promise.all(links.map(({ path }) => node.visit(path)));
  await Promise.all([visitAll(nodeA), visitAll(nodeB)]);
  await Promise.all(
    Array.from({ length: 100 }, (_, index) => {
      const node = index % 2 ? nodeA : nodeB;
      const body = { destination_url: `https://destination.example/${index}` };
      return node.call('PATCH', `/api/v1/link/${links[index % 20]?.id}`, { key: owner.key, body });
    }),
  );
  const stored = await Promise.all(
    links.map(
      async ({ id }) =>
        (await nodeA.call('GET', `/api/v1/link/${id}`, { key: owner.key })).json.destination_url,
    ),
  );
  for (const node of [nodeA, nodeB]) {
    const locations = async () => (await visitAll(node)).map((response) => response.headers.get('location'));
    await eventuallyApplied(async () => JSON.stringify(await locations()) === JSON.stringify(stored));
    expect(await locations()).toEqual(stored);
  }
});

test('a password entered on one node is not requested on the other, and wrong ones count on both', async () => {
  const { path } = await createLink({ password: 'open sesame' });
  const guess = (node: TestApp, password: string) =>
    node.visit(path, {}, { method: 'POST', body: new URLSearchParams({ password }) });
  const cookie = (await guess(nodeA, 'open sesame')).headers.get('set-cookie')?.split(';')[0] ?? '';
  expect((await nodeB.visit(path, { cookie })).status).toBe(302);
  const responses = await Promise.all(
    Array.from({ length: 30 }, (_, index) => guess(index % 2 ? nodeA : nodeB, `wrong ${index}`)),
  );
  expect(responses.filter(({ status }) => status === 401)).toHaveLength(10);
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(20);
});

test('a captcha is accepted once on any node: of fifty uses on each node, one passes', async () => {
  const { path } = await createLink({ captcha: true });
  const attribute = /data-challenge="([^"]+)"/.exec((await nodeA.visit(path)).text)?.[1] ?? '';
  const challenge = JSON.parse(attribute.replaceAll('&#34;', '"'));
  const solution = await solveChallenge({ challenge, deriveKey });
  const altcha = btoa(JSON.stringify({ challenge, solution }));
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      (index % 2 ? nodeA : nodeB).visit(path, {}, { method: 'POST', body: new URLSearchParams({ altcha }) }),
    ),
  );
  expect(responses.filter(({ status }) => status === 302)).toHaveLength(1);
  expect(responses.filter(({ status }) => status === 403)).toHaveLength(99);
});
