import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runServer, stop, temporaryFolder } from './support/program.ts';

test('salts that an earlier version stored in the database are in none of its pages after the upgrade', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'linnet.sqlite');
  const before = join(import.meta.dir, 'fixtures', 'earlier-version', 'linnet.sqlite.gz');
  writeFileSync(file, Bun.gunzipSync(readFileSync(before)));
  const salts = Array.from({ length: 40 }, () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))));
  const database = new Database(file);
  const insert = 'insert or replace into daily_salts (day, salt) values (?, ?)';
  // Most are deleted in the way of that version, so their bytes are still in the file.
  for (const [day, salt] of salts.entries()) {
    database.run(insert, [day, salt.toString('base64')]);
    database.run('delete from daily_salts where day < ?', [day - 1]);
  }
  database.close();
  const found = () => {
    const bytes = readFileSync(file);
    return salts.filter((salt) => bytes.includes(salt.toString('base64').slice(0, 30))).length;
  };
  expect(found()).toBeGreaterThan(2);
  const key = join(import.meta.dir, 'fixtures', 'earlier-version', 'secret.key');
  writeFileSync(join(folder.path, 'secret.key'), readFileSync(key));
  const program = runServer({ PORT: '0', DATA_DIR: folder.path });
  await program.address();
  await stop(program);
  expect(found()).toBe(0);
});
