import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/program.ts';
import { beginImmediate } from './begin-immediate.ts';

const holdTime = 200;
const freeTime = 10;
const rounds = 15;

/** Writes again and again, with short pauses, as the folds of other processes do. */
const writer = `
const database = new (require('bun:sqlite').Database)(process.env.FILE);
console.log('begun');
for (;;) {
  database.run('begin immediate');
  database.run('insert into turns default values');
  Bun.sleepSync(${holdTime});
  database.run('commit');
  Bun.sleepSync(${freeTime});
}`;

test('a lock that is free for some milliseconds between two transactions is acquired', async () => {
  await using folder = await temporaryFolder();
  const FILE = join(folder.path, 'a.sqlite');
  using database = new Database(FILE);
  database.run('pragma journal_mode = wal');
  database.run('create table turns (id integer primary key)');
  const other = Bun.spawn([process.execPath, '-e', writer], { env: { FILE }, stdout: 'pipe' });
  try {
    await other.stdout.getReader().read();
    for (let round = 0; round < rounds; round++) {
      beginImmediate(database);
      database.run('commit');
      Bun.sleepSync(freeTime);
    }
    const [[turns] = []] = database.query('select count(*) from turns').values();
    // About one by the other process for each of our rounds.
    expect(Number(turns)).toBeLessThan(rounds * 2);
  } finally {
    other.kill();
  }
});

test('waiting for a lock ends with an error', async () => {
  await using folder = await temporaryFolder();
  const open = () => new Database(join(folder.path, 'a.sqlite'));
  using one = open();
  using other = open();
  one.run('pragma journal_mode = wal');
  beginImmediate(one);
  expect(() => beginImmediate(other)).toThrow('locked');
  one.run('commit');
  beginImmediate(other);
}, 60_000);
