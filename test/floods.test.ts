import { describe, expect, test } from 'bun:test';
import { floodNetwork } from '../src/rules/networks.ts';
import { startApp, storeKinds, type TestAccount, type TestApp } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { SECRET_KEY } from './support/secret-key.ts';

const limit = 10;
const env = { TRUSTED_PROXIES: '1', FLOOD_LIMIT: String(limit), REPEAT_WINDOW: '0' };

async function totalsOf(app: TestApp, owner: TestAccount, id: number) {
  await app.app.clicks.settled();
  const { totals } = (await app.call('GET', `/api/v1/link/${id}/stats`, { key: owner.key })).json;
  return [totals.clicks, totals.not_counted.flood];
}

const visitRepeatedly = async (
  app: TestApp,
  path: string,
  count: number,
  addressOf: (index: number) => string,
) => {
  for (let index = 0; index < count; index++) await app.visit(path, { 'x-forwarded-for': addressOf(index) });
};

describe.each(storeKinds)('floods on %s', (store) => {
  const { app, owner } = appWithOwner({ store, env });

  test('begin when one network exceeds the limit on one link, and end when the bucket has leaked', async () => {
    const link = await app.createLink(owner);
    await visitRepeatedly(app, link.path, limit + 7, (index) => `198.51.100.${index}`);
    expect(await totalsOf(app, owner, link.id)).toEqual([limit, 7]);
    // In later batches: another network, and another link.
    await visitRepeatedly(app, link.path, 1, () => '198.51.100.200');
    await visitRepeatedly(app, link.path, 3, () => '198.51.101.1');
    expect(await totalsOf(app, owner, link.id)).toEqual([limit + 3, 8]);
    const otherLink = await app.createLink(owner);
    await visitRepeatedly(app, otherLink.path, 3, () => '198.51.100.1');
    expect(await totalsOf(app, owner, otherLink.id)).toEqual([3, 0]);
    // 18 are in the bucket: after a minute eight are left, so two fit.
    app.clock.now += 60_000;
    await visitRepeatedly(app, link.path, 3, () => '198.51.100.1');
    expect(await totalsOf(app, owner, link.id)).toEqual([limit + 5, 9]);
    const path = `/api/v1/link/${link.id}/clicks?class=flood`;
    const { clicks } = (await app.call('GET', path, { key: owner.key })).json;
    expect(clicks).toHaveLength(9);
    expect(clicks[0]).toMatchObject({ class: 'flood', reason: 'flood' });
  });

  test('of forty visits have ended two minutes later', async () => {
    const link = await app.createLink(owner);
    await visitRepeatedly(app, link.path, 40, () => '2001:db8:7::1');
    expect(await totalsOf(app, owner, link.id)).toEqual([limit, 30]);
    app.clock.now += 120_000;
    await visitRepeatedly(app, link.path, limit, () => '2001:db8:7:9::1');
    expect(await totalsOf(app, owner, link.id)).toEqual([limit * 2, 30]);
  });
});

test('nothing is a flood if FLOOD_LIMIT is 0', async () => {
  const app = await startApp({ env: { ...env, FLOOD_LIMIT: '0' } });
  try {
    const owner = await app.createAccount();
    const link = await app.createLink(owner);
    await visitRepeatedly(app, link.path, 3 * limit, () => '198.51.100.1');
    expect(await totalsOf(app, owner, link.id)).toEqual([3 * limit, 0]);
  } finally {
    await app.stop();
  }
});

test('two nodes do not double the limit', async () => {
  const DATABASE_URL = await migratedPostgres();
  const nodeEnv = { ...env, DATABASE_URL, SECRET_KEY };
  const [firstNode, secondNode] = [await startApp({ env: nodeEnv }), await startApp({ env: nodeEnv })];
  try {
    secondNode.clock.now = firstNode.clock.now;
    const owner = await firstNode.createAccount();
    const link = await firstNode.createLink(owner);
    for (let round = 0; round < 4; round++)
      for (const node of [firstNode, secondNode]) {
        await visitRepeatedly(node, link.path, 3, (index) => `198.51.100.${index}`);
        await node.app.clicks.settled();
      }
    expect(await totalsOf(firstNode, owner, link.id)).toEqual([limit, 24 - limit]);
  } finally {
    await Promise.all([firstNode.stop(), secondNode.stop()]);
  }
});

test('the network of a flood is a /24 or a /48', () => {
  expect(floodNetwork('198.51.100.7')).toBe(floodNetwork('198.51.100.250'));
  expect(floodNetwork('198.51.100.7')).not.toBe(floodNetwork('198.51.10.7'));
  expect(floodNetwork('2001:db8:7:1::1')).toBe(floodNetwork('2001:db8:7:ffff:1:2:3:4'));
  expect(floodNetwork('2001:db8:7::1')).not.toBe(floodNetwork('2001:db8:8::1'));
  expect(floodNetwork('2001:db8::1')).toBe(floodNetwork('2001:db8:0:5::1'));
  expect(floodNetwork('::1')).toBe('0:0:0');
});
