import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migratedSqlite } from '../../test/support/migrated-store.ts';
import { dayLength } from '../rules/durations.ts';
import { openDatabase } from '../storage/open.ts';
import { HttpsSince } from './https-since.ts';

test('the day of HTTPS is counted across restarts, and starts over if the stored time is in the future', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'linnet-https-since-'));
  await migratedSqlite(folder);
  const database = await openDatabase(null, folder, (cause) => {
    throw cause;
  });
  let now = 1_900_000_000_000;
  const started = async () => {
    const since = new HttpsSince(database, () => now);
    await since.begin();
    return since;
  };
  now += 3_000 * dayLength;
  expect((await started()).isStable()).toBe(false);
  now -= 3_000 * dayLength;
  expect((await started()).isStable()).toBe(false);
  now += dayLength - 1;
  expect((await started()).isStable()).toBe(false);
  now += 1;
  expect((await started()).isStable()).toBe(true);
  await database.close();
  await rm(folder, { recursive: true });
});
