import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type App, createApp } from '../src/app.ts';
import { loadConfig } from '../src/config/load.ts';
import { folderOf, journalsIn, segmentFile, segmentsIn } from '../src/journal/files.ts';
import type { Database } from '../src/storage/database.ts';
import { openDatabase } from '../src/storage/open.ts';
import { Log } from '../src/telemetry/log.ts';
import { firefoxOf } from './support/agents-of-people.ts';
import { eventually } from './support/eventually.ts';
import { wholeLedger } from './support/hits.ts';
import { plainHit } from './support/plain-hit.ts';
import { PostgresServer } from './support/postgres.ts';
import { queryPostgres } from './support/postgres-pair.ts';
import { temporaryFolder } from './support/program.ts';
import { SECRET_KEY } from './support/secret-key.ts';

const server = new PostgresServer();
let url: string;
const lines: string[] = [];
const log = new Log('warn', (line) => lines.push(line));

beforeAll(async () => {
  url = await server.url();
});
afterAll(() => server.stop());

const startNode = (DATA_DIR: string, settings: Record<string, string> = {}): Promise<App> =>
  createApp(
    loadConfig({
      PORT: '0',
      DATA_DIR,
      DATABASE_URL: `${url}?connect_timeout=60`,
      MISS_LIMIT: '0',
      SECRET_KEY,
      ...settings,
    }),
    { log },
  );

let sites = 0;
/** Each click has a referrer of its own. */
async function click(app: App, linkId: number, count: number): Promise<string[]> {
  const newSites = Array.from({ length: count }, () => `site-${++sites}.example`);
  for (const site of newSites)
    await app.clicks.append({
      ...plainHit,
      linkId,
      at: Date.now(),
      userAgent: firefoxOf(sites),
      referer: `https://${site}/`,
    });
  await app.clicks.settled();
  return newSites;
}

let reader: Database | undefined;
afterEach(async () => {
  await closeReader();
  // Otherwise the next test's nodes would ask those that have stopped for the day's salt, and wait 15 seconds for it.
  await queryPostgres(url, 'delete from visitor_salt_marks');
});

async function closeReader(): Promise<void> {
  await reader?.close();
  reader = undefined;
}

/** The referrers of this link's clicks in the database. */
async function sitesOf(linkId: number): Promise<string[]> {
  reader ??= await openDatabase(url, '', () => {});
  const { read } = reader;
  const hits = (await wholeLedger(read)).filter((hit) => hit.link_id === linkId);
  const words = await read.selectFrom('words').selectAll().execute();
  const nameOf = new Map(words.map(({ id, word }) => [id, word]));
  return hits.map(({ referrer }) => nameOf.get(referrer) ?? '').sort();
}

const hasAll = async (linkId: number, sites: readonly string[]): Promise<boolean> =>
  JSON.stringify(await sitesOf(linkId).catch(() => [])) === JSON.stringify([...sites].sort());

test.each([
  ['promotion of a replica that lagged', 1],
  ['restore of files that were kept', 2],
] as const)(
  'after the %s all clicks are stored once, of running nodes and of a stopped one',
  async (kind, link) => {
    await using folder = await temporaryFolder();
    const [firstFolder, secondFolder] = [join(folder.path, 'here'), join(folder.path, 'there')];
    const running = await startNode(firstFolder);
    const stopped = await startNode(secondFolder);
    const all = [...(await click(running, link, 30)), ...(await click(stopped, link, 10))];
    await server.saveFiles();
    all.push(...(await click(running, link, 50)), ...(await click(stopped, link, 20)));
    await stopped.stop();
    expect(await hasAll(link, all)).toBe(true);
    await closeReader();

    if (kind.startsWith('restore')) await server.restoreFiles();
    else await server.promoteReplica();
    expect(await sitesOf(link)).toHaveLength(40);
    const again = await startNode(secondFolder);
    await eventually(() => hasAll(link, all), 'the clicks that the database had lost');
    all.push(...(await click(running, link, 5)), ...(await click(again, link, 5)));
    expect(await hasAll(link, all)).toBe(true);
    await Promise.all([running.stop(), again.stop()]);
    expect(lines.filter((line) => line.includes('clicks may be folded again'))).not.toEqual([]);
    expect(lines.filter((line) => line.includes('gone from the journal'))).toEqual([]);
  },
);

test('folded segments are deleted after JOURNAL_KEEP_MINUTES, and at once if that is 0', async () => {
  await using folder = await temporaryFolder();
  const segments = () =>
    journalsIn(folder.path).flatMap((name) => {
      const path = folderOf(folder.path, name);
      return segmentsIn(path).map((segment) => segmentFile(path, segment));
    });
  const app = await startNode(folder.path);
  await click(app, 3, 5);
  await click(app, 3, 5);
  await app.stop();
  expect(segments().length).toBeGreaterThan(1);
  const next = await startNode(folder.path);
  await click(next, 3, 5);
  for (const path of segments()) utimesSync(path, 1, 1);
  next.clicks.cleanUp();
  await eventually(() => journalsIn(folder.path).length === 1, 'the earlier journal to be deleted');
  await next.stop();
  const last = await startNode(folder.path, { JOURNAL_KEEP_MINUTES: '0' });
  await click(last, 3, 5);
  await last.stop();
  const afterwards = await startNode(folder.path, { JOURNAL_KEEP_MINUTES: '0' });
  await eventually(() => segments().length === 0, 'all kept segments to be deleted');
  await afterwards.stop();
  expect(await sitesOf(3)).toHaveLength(20);
});
