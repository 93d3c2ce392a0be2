import { beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SQL } from 'bun';
import { loadConfig } from '../src/config/load.ts';
import { openStore } from '../src/store.ts';
import { Log } from '../src/telemetry/log.ts';
import { storeFolder } from './support/migrated-store.ts';
import { runToExit } from './support/populated-server.ts';
import { freshPostgres } from './support/postgres.ts';

let url: string;
beforeAll(async () => {
  const fresh = await freshPostgres();
  const admin = new SQL({ url: fresh, max: 1 });
  const name = `latin_${process.pid}`;
  await admin.unsafe(
    `create database ${name} encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0`,
  );
  await admin.end();
  url = Object.assign(new URL(fresh), { pathname: `/${name}` }).href;
});

const sentence =
  'The database is encoded in LATIN1, not in UTF8: it can not store every text of links and visits. Create another one with "createdb --encoding=UTF8 --template=template0 NAME"';

test('a PostgreSQL database that is not in UTF-8 is refused by starts, doctor and restore, before any table is made', async () => {
  await using folder = await storeFolder();
  const settings = { DATA_DIR: folder.path, DATABASE_URL: url, PORT: '1' };
  expect(await openStore(loadConfig(settings), new Log('error')).catch((cause) => cause.message)).toStartWith(
    sentence,
  );
  const [code, out] = await runToExit(['doctor'], settings);
  expect([code, out]).toEqual([1, expect.stringContaining('is encoded in LATIN1')]);
  expect(await runToExit(['restore', join(folder.path, 'linnet.sqlite')], settings)).toEqual([
    1,
    '',
    expect.stringContaining(sentence),
  ]);
  const admin = new SQL({ url, max: 1 });
  expect(await admin.unsafe("select relname from pg_class where relname = 'migrations'")).toHaveLength(0);
  await admin.end();
});
