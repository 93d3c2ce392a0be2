import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { SQL } from 'bun';
import type { FromFold, ToFold } from '../src/ledger/fold/fold-messages.ts';
import { eventually } from './support/eventually.ts';
import { foldSettings, JournalFiles, ownJournal } from './support/fold-worker.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { temporaryFolder } from './support/program.ts';

const noon = Date.UTC(2026, 10, 19, 12);

test('a stop while the thread is still loading its store waits for the clicks before it', async () => {
  await using folder = await temporaryFolder();
  const databaseUrl = await migratedPostgres();
  const end = new JournalFiles(folder.path, noon).write(ownJournal, 'spring');
  const messages: FromFold[] = [];
  const thread = new Worker(join(import.meta.dir, '..', 'src', 'fold-thread.ts'));
  thread.onmessage = ({ data }: MessageEvent<FromFold>) => messages.push(data);
  const settings = { ...foldSettings(folder.path), databaseUrl };
  const sent: readonly ToFold[] = [
    { kind: 'start', settings, now: noon },
    { kind: 'wake', end, now: noon },
    { kind: 'stop', end, now: noon },
  ];
  for (const message of sent) thread.postMessage(message);
  await eventually(() => messages.some(({ kind }) => kind === 'stopped'), 'the thread to stop');
  thread.terminate();
  expect(messages).toContainEqual({ kind: 'folded', position: end });
  await using sql = new SQL(databaseUrl);
  expect(Array.from(await sql`select count(*)::int as hits from hits`)).toEqual([{ hits: 1 }]);
});
