import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createApp } from '../src/app.ts';
import { hourLength } from '../src/rules/durations.ts';
import { openDatabase } from '../src/storage/open.ts';
import { Log } from '../src/telemetry/log.ts';
import { accountWithLinks } from './support/account.ts';
import { configFor } from './support/app.ts';
import { pollUntil } from './support/eventually.ts';
import { rebuildRollups, rollUps, type SeedHit, seedHits, wholeLedger } from './support/hits.ts';
import { storeFolder } from './support/migrated-store.ts';
import { type Program, runServer } from './support/program.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';
import { seededRandom } from './support/seeded-random.ts';

const hits = 16_000;
const span = { from: Date.UTC(2026, 10, 10, 3, 20), to: Date.UTC(2026, 10, 12, 7, 40) };

let folder: Awaited<ReturnType<typeof storeFolder>>;
let program: Program | undefined;
beforeEach(async () => {
  folder = await storeFolder();
});
afterEach(async () => {
  program?.kill('SIGKILL');
  await program?.exited;
  await folder[Symbol.asyncDispose]();
});

async function start(): Promise<string> {
  program = runServer({ PORT: '0', DATA_DIR: folder.path });
  return program.address();
}

async function stop(signal: NodeJS.Signals): Promise<void> {
  program?.kill(signal);
  await program?.exited;
}

const draw = seededRandom(20261123);
const someHits = (link: number, count: number): SeedHit[] =>
  Array.from({ length: count }, () => ({
    link,
    organization: 1,
    at: span.from - 5 * hourLength + draw(62 * hourLength),
    ...(draw(4) === 0 ? ({ class: 'bot', reason: 'monitor' } as const) : {}),
    country: ['DE', 'FR', 'CH'][draw(3)] ?? 'DE',
  }));

/** The correction's row in the database file. */
function correctionRow(): { hits: number; due_at: number | null } | null {
  using database = new Database(join(folder.path, 'linnet.sqlite'), { readonly: true });
  return database.query('select hits, due_at from click_corrections').get() as ReturnType<
    typeof correctionRow
  >;
}

/** As if the time were over after which another process may continue the correction. */
function endClaim(): void {
  using database = new Database(join(folder.path, 'linnet.sqlite'));
  database.run('update click_corrections set due_at = 1');
}

test('if the program is killed twice during an erasure, its next starts erase each click once', async () => {
  const app = await createApp(configFor(folder.path, ''), { log: new Log('error') });
  const { key, ids } = await accountWithLinks(app.listening, ['one', 'two']);
  const [one = 0, two = 0] = ids.values();
  const { database } = app.context;
  await seedHits(database, [...someHits(one, hits), ...someHits(two, 500)]);
  const before = await wholeLedger(database.read);
  await app.stop();
  const isInScope = (hit: { link_id: number; at: number }) =>
    hit.link_id === one && hit.at >= span.from && hit.at < span.to;

  const url = await start();
  const query = `from=${new Date(span.from).toISOString()}&to=${new Date(span.to).toISOString()}`;
  const headers = { 'api-key': key };
  const erasure = fetch(`${url}/api/v1/link/${one}/clicks?${query}`, { method: 'DELETE', headers });
  erasure.catch(() => {});
  for (let kill = 0, done = 0; kill < 2; kill++) {
    await pollUntil(correctionRow, (found) => (found?.hits ?? 0) > done, 'some clicks to be erased');
    await stop('SIGKILL');
    done = correctionRow()?.hits ?? 0;
    expect(correctionRow()?.due_at).not.toBeNull();
    // The second time, the next process waits until the claim of the one that was killed has ended.
    if (kill === 0) endClaim();
    await start();
  }

  // Meanwhile queries return no negative number.
  const lastUrl = await (program as Program).address();
  await pollUntil(
    async () => {
      for (const path of [`link/${one}/stats`, 'stats']) {
        const found = await fetch(`${lastUrl}/api/v1/${path}?from=2026-11-01&group_by=country`, { headers });
        const { totals, groups, other } = (await found.json()) as Record<string, never>;
        expect(JSON.stringify([totals, groups, other])).not.toContain('-');
      }
      return correctionRow();
    },
    (found) => found?.due_at === null,
    'all clicks to be erased',
    scaledToLoad(60_000),
  );
  await stop('SIGTERM');
  const after = await openDatabase(null, folder.path, () => {});
  const remaining = before.filter((hit) => !isInScope(hit));
  expect(remaining.length).toBeLessThan(before.length - 5_000);
  expect(await wholeLedger(after.read)).toEqual(remaining);
  expect(correctionRow()?.hits).toBe(before.length - remaining.length);
  const counted = await rollUps(after.read);
  await after.write((queries) => rebuildRollups(queries));
  expect(counted).toEqual(await rollUps(after.read));
  await after.close();
}, 240_000);
