import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { hourLength, minuteLength } from '../src/rules/durations.ts';
import { firefox } from './support/agents-of-people.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { freshClickhouse } from './support/clickhouse.ts';
import { pollUntil } from './support/eventually.ts';
import { rebuildFrom, rollUps } from './support/hits.ts';
import { type LedgerKind, ledgerKinds } from './support/ledger-of.ts';
import { seededRandom } from './support/seeded-random.ts';

/** On ClickHouse a correction takes ten times the CPU. */
const roundsOn: Record<LedgerKind, number> = { sqlite: 10, postgres: 10, clickhouse: 4 };

describe.each(await ledgerKinds())('corrections during folding on %s', (kind) => {
  let app: TestApp;
  let owner: TestAccount;
  const links: { id: number; path: string }[] = [];

  beforeAll(async () => {
    app = await startApp({
      store: kind === 'sqlite' ? 'sqlite' : 'postgres',
      ...(kind === 'clickhouse' ? { env: { CLICKS_URL: await freshClickhouse() } } : {}),
      overrides: { correctionInterval: 20 },
      startsAt: Date.parse('2026-11-18T22:00:00Z'),
    });
    owner = await app.createAccount();
    for (let link = 0; link < 3; link++) {
      links.push(await app.createLink(owner));
    }
  }, 60_000);
  afterAll(async () => {
    expect(app.faults).toEqual([]);
    await app.stop();
  });

  test('visits during an erasure and reclassification are each counted once', async () => {
    // Within four rounds, each kind of correction is made once.
    const draw = seededRandom(20261138);
    const call = (method: string, path: string, body?: object) =>
      app.call(method, `/api/v1/${path}`, { key: owner.key, ...(body && { body }) });
    const someLink = () => links[draw(links.length)] ?? { id: 0, path: '/' };
    const agents = [firefox, 'curl/8.5.0'];
    for (let round = 0; round < roundsOn[kind]; round++) {
      app.clock.now += draw(2 * hourLength);
      const visits = Array.from({ length: 8 }, (_, visit) =>
        // Visits with Do Not Track have no visitor, so visitors can't be compared here.
        app.visit(`${someLink().path}?utm_source=${round}-${visit}`, {
          'user-agent': agents[draw(2)] ?? '',
          dnt: '1',
        }),
      );
      const from = new Date(app.clock.now - draw(6 * hourLength)).toISOString();
      const correction = [
        () => call('DELETE', `link/${someLink().id}/clicks?from=${from}`),
        () => call('DELETE', `clicks?from=${from}`),
        () => call('PATCH', `link/${someLink().id}/clicks/reclassify`, { class: 'bot', to_class: 'human' }),
        () => call('PATCH', `link/${someLink().id}/clicks/reclassify`, { class: 'human', to_class: 'bot' }),
      ][draw(4)];
      const [response] = await Promise.all([correction?.(), ...visits]);
      expect([200, 202, 409]).toContain(response?.status ?? 0);
    }
    await app.app.clicks.settled();
    await pollUntil(
      async () => {
        // A correction whose clicks were not folded in time is made a minute later.
        app.clock.now += minuteLength;
        return (await call('GET', 'clicks/corrections')).json.corrections;
      },
      (list) => list.every(({ state }: { state: string }) => state === 'done'),
      'all corrections to be done',
    );
    const { database } = app.app.context;
    const counted = await rollUps(database.read);
    expect(counted.links.length).toBeGreaterThan(3);
    expect(database.hits !== undefined).toBe(kind === 'clickhouse');
    await rebuildFrom(database);
    expect(counted).toEqual(await rollUps(database.read));
  }, 120_000);
});
