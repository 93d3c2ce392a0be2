import { Database } from 'bun:sqlite';
import { afterEach, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { Secrets } from '../src/auth/secrets.ts';
import { dayLength, hourLength, minuteLength } from '../src/rules/durations.ts';
import { createFirstLink } from './support/account.ts';
import { browserUserAgent } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { filesIn } from './support/files-in.ts';
import { migratedPostgres, migratedSqlite } from './support/migrated-store.ts';
import { type Program, runServerWithPreload, stop, temporaryFolder } from './support/program.ts';
import { addressesFound, type SoughtVisitors } from './support/salt-attack.ts';
import { SECRET_KEY } from './support/secret-key.ts';
import { visitorsOn } from './support/stored-visitors.ts';

/** A small network: with a day's salt, all of its addresses can be tried at once. */
const addresses = Array.from({ length: 32 }, (_, host) => `198.51.100.${host}`);
const organizationId = 1;
/** The first account needs a token, as requests count as coming through a proxy. */
const setupToken = new Secrets(SECRET_KEY).sign('setup', 'first account', 24);

const running: Program[] = [];
afterEach(() => {
  for (const program of running.splice(0)) program.kill('SIGKILL');
});

/** Starts a server whose clock is read from a file in `folder`, beside its data. */
function startServer(folder: string, settings: Record<string, string> = {}): Program {
  const program = runServerWithPreload('fake-clock.ts', {
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    CLOCK: join(folder, 'clock'),
    TRUSTED_PROXIES: '1',
    SECRET_KEY,
    ...settings,
  });
  running.push(program);
  return program;
}

/** Its data folder has an empty, fully migrated SQLite store. */
async function folderOfStore(): ReturnType<typeof temporaryFolder> {
  const folder = await temporaryFolder();
  mkdirSync(join(folder.path, 'data'));
  await migratedSqlite(join(folder.path, 'data'));
  return folder;
}

const setClock = (folder: string, ahead: number) => writeFileSync(join(folder, 'clock'), String(ahead));
const saltsIn = (folder: string): string[] => {
  const salts = join(folder, 'data', 'visitor-salts');
  return existsSync(salts) ? readdirSync(salts) : [];
};

/** How far ahead the servers' clocks are: if the real day is about to end, so far that they are an hour into the next one. */
function aheadToday(): number {
  const untilMidnight = dayLength - (Date.now() % dayLength);
  return untilMidnight < 10 * minuteLength ? untilMidnight + hourLength : 0;
}
/** From a time of a day to one at which its salt is no longer needed. */
const untilSaltIsGone = dayLength + hourLength;

async function visitAll(url: string, suffix: string, from = addresses): Promise<void> {
  for (const address of from) {
    const headers = { 'user-agent': browserUserAgent, 'x-forwarded-for': address };
    expect((await fetch(`${url}/${suffix}`, { redirect: 'manual', headers })).status).toBe(302);
  }
}

const sought = (visitors: Iterable<number>): SoughtVisitors => ({
  organizationId,
  userAgent: browserUserAgent,
  addresses,
  visitors: new Set(visitors),
});

/** Whether the id of a visitor is in the bytes, as SQLite stores it; smaller ids are stored shorter, and skipped. */
const containsVisitor = ({ visitors }: SoughtVisitors, bytes: Buffer): boolean =>
  [...visitors].filter((visitor) => visitor >= 2 ** 47).some((visitor) => bytes.includes(bigEndian(visitor)));

function bigEndian(number: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(number));
  return bytes;
}

test('after the day no visitor can be identified from the data folder or from copies of the SQLite file', async () => {
  await using folder = await folderOfStore();
  const { path } = folder;
  mkdirSync(join(path, 'backups'));
  const ahead = aheadToday();
  setClock(path, ahead);
  const first = startServer(path);
  const url = await first.address();
  const { suffix } = await createFirstLink(url, setupToken);
  await visitAll(url, suffix);
  const file = join(path, 'data', 'linnet.sqlite');
  const visitorsOf = (database: Database) =>
    database.query('select visitor from daily_visitors where owner = ?').values(-organizationId);
  const visitors = async () => {
    using database = new Database(file, { readonly: true });
    return visitorsOf(database).map(([visitor]) => Number(visitor));
  };
  await eventually(async () => (await visitors()).length === addresses.length, 'the visitors to be counted');
  const soughtVisitors = sought(await visitors());

  // One backup as documented, and one made by copying all files that begin with linnet.sqlite.
  using database = new Database(file);
  database.run('pragma busy_timeout = 5000');
  database.run(`vacuum into '${join(path, 'backups', 'backup.sqlite')}'`);
  for (const name of readdirSync(join(path, 'data')).filter((one) => one.startsWith('linnet.sqlite')))
    cpSync(join(path, 'data', name), join(path, 'backups', name));
  database.close();
  const duringTheDay = filesIn(join(path, 'data', 'visitor-salts'));
  expect(duringTheDay).toHaveLength(1);
  expect(addressesFound(duringTheDay, soughtVisitors).length).toBe(addresses.length);

  // The salt stays the same after a restart, even after an unclean one.
  first.kill('SIGKILL');
  await first.exited;
  const second = startServer(path);
  await visitAll(await second.address(), suffix);
  await eventually(
    async () => (await visitors()).length === addresses.length,
    'each visitor to keep the same id',
  );
  expect(filesIn(join(path, 'data', 'visitor-salts'))).toEqual(duringTheDay);

  setClock(path, ahead + untilSaltIsGone);
  await eventually(() => saltsIn(path).length === 0, 'the salt of the day to be destroyed');
  await eventually(async () => (await visitors()).length === 0, 'the visitors to be deleted');
  const kept = () =>
    filesIn(join(path, 'data')).filter((bytes) => containsVisitor(soughtVisitors, bytes)).length;
  // Neither in free pages nor in the WAL.
  await eventually(() => kept() === 0, 'the visitor ids to be overwritten');
  await stop(second);
  const all = [...filesIn(join(path, 'data')), ...filesIn(join(path, 'backups'))];
  expect(all.some((bytes) => containsVisitor(soughtVisitors, bytes))).toBe(true);
  expect(addressesFound(all, soughtVisitors)).toEqual([]);
  // Shows that the test can fail, in whatever encoding the salt is written.
  const [salt = Buffer.of()] = duringTheDay;
  for (const encoding of ['latin1', 'hex', 'base64', 'base64url'] as const) {
    const written = Buffer.from(
      `xyz${salt.toString(encoding)}xyz`,
      encoding === 'latin1' ? 'latin1' : 'utf8',
    );
    expect(addressesFound([written], soughtVisitors).length).toBe(addresses.length);
  }
}, 240_000);

test('a start long after the day destroys its salt, before any visit', async () => {
  await using folder = await folderOfStore();
  const { path } = folder;
  setClock(path, aheadToday());
  const first = startServer(path);
  const url = await first.address();
  const { suffix } = await createFirstLink(url, setupToken);
  await visitAll(url, suffix, addresses.slice(0, 1));
  await eventually(() => saltsIn(path).length === 1, 'a salt of the day');
  await stop(first);
  expect(saltsIn(path)).toHaveLength(1);
  setClock(path, 30 * dayLength);
  const second = startServer(path);
  await second.address();
  await eventually(() => saltsIn(path).length === 0, 'the salt of the day to be destroyed');
  await stop(second);
});

/** The database's clock can be set, too: nodes don't trust their own where it is ahead of the database's. */
const clockOfDatabase = `
  create schema clock;
  create table clock.ahead as select 0::bigint as milliseconds;
  create function clock.clock_timestamp() returns timestamptz language sql volatile as
    'select pg_catalog.clock_timestamp() + milliseconds * interval ''1 millisecond'' from clock.ahead';
  do $$ begin
    execute format('alter database %I set search_path = public, clock, pg_catalog', current_database());
  end $$`;

test('after the day no visitor of two nodes can be identified from their folders, from PostgreSQL or from its WAL', async () => {
  await using folderA = await temporaryFolder();
  await using folderB = await temporaryFolder();
  const DATABASE_URL = await migratedPostgres();
  const sql = new SQL({ url: DATABASE_URL, max: 1 });
  const [{ data_directory }] = await sql.unsafe('show data_directory');
  const walFile = async (): Promise<string> =>
    (await sql.unsafe('select pg_walfile_name(pg_current_wal_insert_lsn()) as name'))[0].name;
  await sql.unsafe(clockOfDatabase).simple();
  // The next file has nothing of earlier tests.
  await sql.unsafe('select pg_switch_wal()');
  const firstWalFile = await walFile();
  const [{ oid }] = await sql.unsafe('select oid from pg_database where datname = current_database()');
  const tableFiles = (): Buffer[] => filesIn(join(data_directory, 'base', String(oid)));
  const hashesBefore = new Set(tableFiles().map((bytes) => Bun.hash(bytes)));
  // Without a repeat window, a second visit to the other node within seconds counts as a click there too.
  const start = (path: string) => startServer(path, { DATABASE_URL, REPEAT_WINDOW: '0' });
  const ahead = aheadToday();
  for (const { path } of [folderA, folderB]) setClock(path, ahead);
  const nodes = [folderA, folderB].map(({ path }) => start(path));
  const [urlA, urlB] = [await nodes[0]?.address(), await nodes[1]?.address()];
  const { suffix } = await createFirstLink(urlA ?? '', setupToken);
  const visitors = async (): Promise<number[]> =>
    (await visitorsOn(sql)).filter(({ owner }) => owner === -organizationId).map(({ visitor }) => visitor);
  await visitAll(urlA ?? '', suffix);
  const visitorCount = () => visitors().then(({ length }) => length);
  await eventually(async () => (await visitorCount()) === addresses.length, 'the visitors to be counted');
  await visitAll(urlB ?? '', suffix);
  const clicks = async () => Number((await sql`select sum(clicks) as clicks from link_clicks`)[0].clicks);
  await eventually(async () => (await clicks()) === 2 * addresses.length, 'both nodes to count');
  // A visitor of both nodes is one visitor, as the nodes have the same salt.
  expect(await visitorCount()).toBe(addresses.length);
  const soughtVisitors = sought(await visitors());

  // Copies of the database's own files that have changed, and of its WAL, since this test began.
  const filesOfDatabase = async (since: string): Promise<Buffer[]> => {
    const until = await walFile();
    const log = filesIn(join(data_directory, 'pg_wal'), (name) => name >= since && name <= until);
    await sql.unsafe('checkpoint');
    return [...tableFiles().filter((bytes) => !hashesBefore.has(Bun.hash(bytes))), ...log];
  };
  const backup = await filesOfDatabase(firstWalFile);
  const afterwards = await walFile();
  const duringTheDay = [...filesIn(join(folderA.path, 'data', 'visitor-salts'))];
  expect(filesIn(join(folderB.path, 'data', 'visitor-salts'))).toEqual(duringTheDay);
  expect(addressesFound(duringTheDay, soughtVisitors).length).toBe(addresses.length);

  await sql`update clock.ahead set milliseconds = ${ahead + untilSaltIsGone}`;
  for (const { path } of [folderA, folderB]) setClock(path, ahead + untilSaltIsGone);
  // A node reads the database's time once a minute, and when it starts.
  for (const node of nodes) await stop(node);
  const restarted = [folderA, folderB].map(({ path }) => start(path));
  for (const { path } of [folderA, folderB])
    await eventually(() => saltsIn(path).length === 0, 'the salt of the day to be destroyed');
  await eventually(async () => (await visitorCount()) === 0, 'the visitors to be deleted');
  for (const node of restarted) await stop(node);
  const tables = ['visitor_salt_marks', 'visitor_salt_requests'];
  for (const table of tables) expect(await sql.unsafe(`select * from ${table}`)).toHaveLength(0);
  const folders = [folderA, folderB].flatMap(({ path }) => filesIn(join(path, 'data')));
  const all = [...backup, ...(await filesOfDatabase(afterwards)), ...folders];
  await sql.end();
  expect(addressesFound([...all, Buffer.from(SECRET_KEY)], soughtVisitors)).toEqual([]);
}, 240_000);
