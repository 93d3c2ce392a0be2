import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { copyFile, mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SQL } from 'bun';
import { statementsOf } from '../src/storage/migrate.ts';
import { newestMigration } from '../src/storage/newest-migration.ts';
import { earlierMigration, earlierPostgres, earlierStore } from './support/earlier-store.ts';
import { eventually, pollOften } from './support/eventually.ts';
import { runToExit } from './support/populated-server.ts';
import {
  problemsOf,
  runCommand,
  runServer,
  runWithFileSizeLimit,
  stop,
  temporaryFolder,
} from './support/program.ts';

const copiesIn = (dataDir: string): string[] =>
  existsSync(join(dataDir, 'backups'))
    ? readdirSync(join(dataDir, 'backups')).filter((name) => name.endsWith('.sqlite'))
    : [];

function queryRow<Row>(file: string, sql: string): Row {
  const database = new Database(file, { readonly: true });
  try {
    return database.query<Row, []>(sql).get() as Row;
  } finally {
    database.close();
  }
}

test('upgrade --check prints what would change, and changes nothing', async () => {
  await using folder = await temporaryFolder();
  await earlierStore(folder.path);
  const file = join(folder.path, 'linnet.sqlite');
  const before = await readFile(file);
  const settings = { DATA_DIR: folder.path };
  const [code, out, err] = await runToExit(['upgrade', '--check'], settings);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain(`The store is at ${earlierMigration}, and this version has ${newestMigration}`);
  expect(out).toContain('alter table hits drop column visitor');
  expect(out).toContain('It takes about a second');
  expect(out).toContain(`copied to ${join(folder.path, 'backups')}`);
  expect(Buffer.compare(await readFile(file), before)).toBe(0);
  expect(copiesIn(folder.path)).toEqual([]);
});

test("a store is copied before its tables are migrated, once, without visitors' salts; and the copy can be restored", async () => {
  await using folder = await temporaryFolder();
  const settings = { PORT: '0', DATA_DIR: join(folder.path, 'data'), CLICK_RETENTION_DAYS: '3650' };
  await earlierStore(settings.DATA_DIR);
  const server = runServer(settings);
  await server.address();
  await stop(server);
  const [name = '', ...more] = copiesIn(settings.DATA_DIR);
  expect(more).toEqual([]);
  expect(name).toStartWith(`before-upgrade-from-${earlierMigration}-to-${newestMigration}-`);
  const copy = join(settings.DATA_DIR, 'backups', name);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  const counts = `select (select max(number) from migrations) as migration, (select count(*) from links) as links,
    (select count(*) from daily_salts) as salts, (select count(*) from daily_visitors) as visitors`;
  expect(queryRow<object>(copy, counts)).toEqual({
    migration: earlierMigration,
    links: 3,
    salts: 0,
    visitors: 0,
  });
  expect(await runToExit(['upgrade', '--check'], settings)).toEqual([
    0,
    expect.stringContaining('up to date'),
    '',
  ]);
  expect((await runToExit(['upgrade'], settings))[0]).toBe(0);
  expect(copiesIn(settings.DATA_DIR)).toEqual([name]);

  const restoredSettings = { ...settings, DATA_DIR: join(folder.path, 'elsewhere') };
  await mkdir(restoredSettings.DATA_DIR);
  await copyFile(join(settings.DATA_DIR, 'secret.key'), join(restoredSettings.DATA_DIR, 'secret.key'));
  expect(await runToExit(['restore', copy], restoredSettings)).toEqual([
    0,
    expect.stringMatching(/^Restored/),
    '',
  ]);
  const restored = runServer(restoredSettings);
  const url = await restored.address();
  const visit = await fetch(`${url}/rows`, { redirect: 'manual' });
  expect(visit.headers.get('location')).toBe('https://example.com/rows');
  await stop(restored);
  expect(problemsOf(restored)).toEqual([]);
}, 240_000);

test('the last three copies are kept, one per upgrade; "off" makes none', async () => {
  await using folder = await temporaryFolder();
  await earlierStore(folder.path);
  const backups = join(folder.path, 'backups');
  await mkdir(backups);
  const earlier = [3, 5, 7, 9].map(
    (from) => `before-upgrade-from-${from}-to-${from + 1}-2026-01-0${from}T00-00-00.000Z.sqlite`,
  );
  const same = `before-upgrade-from-${earlierMigration}-to-${newestMigration}-2026-01-01T00-00-00.000Z.sqlite`;
  for (const [index, name] of [...earlier, same].entries()) {
    await writeFile(join(backups, name), '');
    await utimes(join(backups, name), 1_000 + index, 1_000 + index);
  }
  await writeFile(join(backups, 'mine.sqlite'), 'of the operator');
  const settings = { DATA_DIR: folder.path };
  expect((await runToExit(['upgrade'], { ...settings, BACKUP_BEFORE_UPGRADE: 'off' }))[0]).toBe(0);
  expect(copiesIn(folder.path)).toHaveLength(6);

  await using other = await temporaryFolder();
  await earlierStore(other.path);
  await Bun.$`cp -a ${backups} ${other.path}/`.quiet();
  expect((await runToExit(['upgrade'], { DATA_DIR: other.path }))[0]).toBe(0);
  const kept = copiesIn(other.path).sort();
  expect(kept).toHaveLength(4);
  expect(kept).toContain('mine.sqlite');
  expect(kept).toContain(earlier[3] ?? '');
  expect(kept).toContain(earlier[2] ?? '');
  expect(kept).not.toContain(same);
});

test('commands that start at once on an older store make one copy', async () => {
  await using folder = await temporaryFolder();
  await earlierStore(folder.path);
  const email = 'owner@example.com';
  const keys = ['a', 'b'].map((name) =>
    runCommand(['key', 'create', '--email', email, '--name', name], { DATA_DIR: folder.path }),
  );
  expect(await Promise.all(keys.map(({ exited }) => exited))).toEqual([0, 0]);
  expect(copiesIn(folder.path)).toHaveLength(1);
});

test('a disk without space for the copy stops the start with one line, and the store is unchanged', async () => {
  await using folder = await temporaryFolder();
  await earlierStore(folder.path);
  const settings = { PORT: '0', DATA_DIR: folder.path };
  const server = runWithFileSizeLimit(300, ['serve'], settings);
  expect(await server.exited).toBe(1);
  const [line, ...more] = problemsOf(server);
  expect(more).toEqual([]);
  expect(line).toMatch(
    /^The store can not be copied to .*backups before the upgrade \(.*\)\. Make room there.*BACKUP_BEFORE_UPGRADE=off\.$/,
  );
  expect(readdirSync(join(folder.path, 'backups'))).toEqual(['lock']);
  const { number } = queryRow<{ number: number }>(
    join(folder.path, 'linnet.sqlite'),
    'select max(number) as number from migrations',
  );
  expect(number).toBe(earlierMigration);
});

test('a start killed during the copy leaves nothing that looks like a copy, and the next one makes it', async () => {
  await using folder = await temporaryFolder();
  await earlierStore(folder.path);
  const database = new Database(join(folder.path, 'linnet.sqlite'));
  database.run(`with recursive more (i) as (select 1 union all select i + 1 from more where i < 100000)
    insert into words (word) select 'word ' || i || hex(randomblob(100)) from more`);
  database.close();
  const killed = runServer({ PORT: '0', DATA_DIR: folder.path });
  const draft = join(folder.path, 'backups', 'before-upgrade.partial');
  await pollOften(() => existsSync(draft) && statSync(draft).size > 0, 'the copy to begin');
  killed.kill('SIGKILL');
  await killed.exited;
  expect(copiesIn(folder.path)).toEqual([]);
  const next = runServer({ PORT: '0', DATA_DIR: folder.path });
  await next.address();
  await stop(next);
  expect(copiesIn(folder.path)).toHaveLength(1);
  expect(existsSync(draft)).toBe(false);
}, 240_000);

test('on PostgreSQL the check prints the backup command, and a start logs that it migrates and continues', async () => {
  await using folder = await temporaryFolder();
  const settings = { PORT: '0', DATA_DIR: folder.path, DATABASE_URL: await earlierPostgres() };
  const [code, out] = await runToExit(['upgrade', '--check'], settings);
  expect([code, out]).toEqual([0, expect.stringMatching(/Run: .*linnet .*backup FILE \(or pg_dump\)/)]);
  expect((await runToExit(['backup', join(folder.path, 'before.linnet')], settings))[0]).toBe(0);
  const server = runServer(settings);
  await server.address();
  await stop(server);
  const problems = problemsOf(server).map((line) => JSON.parse(line));
  // On a busy machine a lock may take longer than half a second.
  expect(problems.filter(({ event }) => event !== 'tables wait for a lock')).toEqual([
    expect.objectContaining({ event: 'tables are changed', from: earlierMigration, to: newestMigration }),
  ]);
  expect((await runToExit(['upgrade', '--check'], settings))[1]).toContain('up to date');
});

test('a backup that begins during a migration on PostgreSQL waits, and has the migrated tables', async () => {
  await using folder = await temporaryFolder();
  const DATABASE_URL = await earlierPostgres();
  const settings = { DATA_DIR: folder.path, DATABASE_URL };
  const sql = new SQL({ url: DATABASE_URL, max: 1 });
  const session = await sql.reserve();
  await session.unsafe("insert into settings (key, value) values ('kept', 'as it was')");
  await session.unsafe('begin');
  for (let number = earlierMigration + 1; number <= newestMigration; number++) {
    for (const statement of statementsOf('postgres', number)) await session.unsafe(statement);
    await session.unsafe('insert into migrations (number) values ($1)', [number]);
  }
  // Rewrites the table: an older snapshot would see no rows in it.
  await session.unsafe('alter table settings alter column value type varchar(500)');
  const backup = runCommand(['backup', join(folder.path, 'one.linnet')], settings);
  const other = new SQL({ url: DATABASE_URL, max: 1 });
  const isWaiting = async () =>
    (
      await other.unsafe(
        `select 1 from pg_stat_activity where application_name = 'linnet backup' and wait_event_type = 'Lock'
          and datname = current_database()`,
      )
    ).length > 0;
  await eventually(isWaiting, 'the backup to wait');
  await session.unsafe('commit');
  expect([await backup.exited, backup.output().err]).toEqual([0, expect.stringContaining('one.linnet')]);
  session.release();
  await Promise.all([sql.end(), other.end()]);
  const restored = { DATA_DIR: join(folder.path, 'restored') };
  expect((await runToExit(['restore', join(folder.path, 'one.linnet')], restored))[0]).toBe(0);
  const file = join(restored.DATA_DIR, 'linnet.sqlite');
  expect(queryRow<object>(file, "select value from settings where key = 'kept'")).toEqual({
    value: 'as it was',
  });
}, 240_000);

test('a mistyped command and a missing store are reported', async () => {
  await using folder = await temporaryFolder();
  const settings = { DATA_DIR: folder.path };
  expect(await runToExit(['upgrade', '--check'], settings)).toEqual([
    0,
    `There is no store in ${folder.path} yet: the first start makes one.\n`,
    '',
  ]);
  expect(await runToExit(['upgrade', 'now'], settings)).toEqual([
    1,
    '',
    'This command takes options alone, and was given "now".\n',
  ]);
  expect((await runToExit(['upgrade', '--chek'], settings))[0]).toBe(1);
  expect(readdirSync(folder.path)).toEqual([]);
});
