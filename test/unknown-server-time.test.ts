import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { FromFold } from '../src/ledger/fold/fold-messages.ts';
import { SqliteFoldStore } from '../src/ledger/stores/sqlite-fold-store.ts';
import { dayLength } from '../src/rules/durations.ts';
import { StoreUnavailable } from '../src/rules/errors.ts';
import { eventually } from './support/eventually.ts';
import { JournalFiles, leftoverJournal, startFoldWorker } from './support/fold-worker.ts';
import { storeFolder } from './support/migrated-store.ts';

const noon = Date.UTC(2026, 10, 19, 12);
const year = 365 * dayLength;

/** Its clock can't be read at first; everything else works. */
class ClocklessStore extends SqliteFoldStore {
  #reads = 0;

  override async serverNow(): Promise<number | null> {
    if (this.#reads++ < 2) throw new StoreUnavailable('away');
    return noon;
  }
}

test.each([
  ['behind', -year],
  ['ahead', year],
])(
  "a node whose clock is a year %s stamps and deletes nothing before it knows the database's time",
  async (_, error) => {
    await using folder = await storeFolder();
    const database = new Database(join(folder.path, 'linnet.sqlite'));
    // The journal of another node, finished yesterday: a copy of it may still arrive.
    database.run(
      `insert into journal_watermarks (node, segment, byte_offset, finished_at) values ('there/left', 1, 1, ${noon - dayLength})`,
    );
    new JournalFiles(folder.path, noon + error).write(leftoverJournal, 'spring');
    const store = new ClocklessStore(folder.path);
    const messages: FromFold[] = [];
    const worker = startFoldWorker(folder.path, store, noon + error, (message) => messages.push(message), {
      clock: 'server',
    });
    await eventually(
      () => messages.some(({ kind }) => kind === 'recovered'),
      'the fold of the leftover journal',
    );
    worker.take({ kind: 'stop', end: { segment: 1, offset: 0 }, now: noon + error });
    await eventually(() => messages.some(({ kind }) => kind === 'stopped'), 'the worker to stop');
    const stamps = database
      .query('select node, finished_at as at from journal_watermarks order by node')
      .all();
    expect(stamps).toEqual([
      { node: 'here/left', at: expect.any(Number) },
      { node: 'there/left', at: noon - dayLength },
    ]);
    expect((stamps[0] as { at: number }).at).toBeWithin(noon, noon + 60_000);
    const [[at] = []] = database.query('select at from hits').values();
    expect(Number(at)).toBeLessThan(noon + 61_000);
    database.close();
  },
);
