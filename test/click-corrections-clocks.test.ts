import { describe, expect, test } from 'bun:test';
import { dayLength, minuteLength } from '../src/rules/durations.ts';
import { insertCorrection } from '../src/storage/click-corrections.ts';
import { correctFutureTimes } from '../src/storage/future-times.ts';
import { storeKinds, type TestAccount, type TestApp } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';

async function visit(app: TestApp, suffix: string): Promise<void> {
  await app.visit(`/${suffix}`);
  await app.app.clicks.settled();
}

async function erased(app: TestApp, { key }: TestAccount, link: number): Promise<void> {
  const path = `/api/v1/link/${link}/clicks/corrections`;
  await eventually(
    async () => (await app.call('GET', path, { key })).json.corrections[0]?.state === 'done',
    'the erasure to end',
  );
}

describe.each(storeKinds)('erasures by clocks that differ on %s', (store) => {
  const app = appForSuite({ store, overrides: { correctionInterval: 20 } });

  test('one that was left for later by a clock that was ahead is made once the clock is right', async () => {
    const owner = await app.createAccount();
    const { id: link } = await app.createLink(owner, { suffix: 'clicked' });
    await visit(app, 'clicked');
    const { database } = app.app.context;
    const ahead = app.clock.now + 365 * dayLength;
    await database.write((queries) =>
      insertCorrection(queries, {
        ...{ created_at: ahead, to_at: ahead, due_at: ahead + minuteLength, from_at: null },
        ...{ organization_id: owner.organizationId, link_id: link, user_id: owner.userId },
        ...{ from_class: null, to_class: null, way_back_of: null },
      }),
    );
    await correctFutureTimes(database, app.clock.now);
    await erased(app, owner, link);
    const { json } = await app.call('GET', '/api/v1/clicks', { key: owner.key });
    expect(json.total_clicks).toBe(0);
  });

  test('a visitor who returns is counted, although an earlier erasure ended by a clock that was ahead', async () => {
    const [one, other] = [await app.createAccount(), await app.createAccount()];
    const { id: first } = await app.createLink(one, { suffix: 'first' });
    const { id: second } = await app.createLink(other, { suffix: 'second' });
    const erase = async (owner: TestAccount, link: number) => {
      await app.call('DELETE', `/api/v1/link/${link}/clicks`, { key: owner.key });
      await erased(app, owner, link);
    };
    app.clock.now += 5_000;
    await erase(one, first);
    app.clock.now -= 4_000;
    await visit(app, 'second');
    await erase(other, second);
    app.clock.now += minuteLength;
    await visit(app, 'second');
    const { json } = await app.call('GET', `/api/v1/link/${second}/stats`, { key: other.key });
    expect(json.totals).toMatchObject({ clicks: 1, visitors: 1 });
  });
});
