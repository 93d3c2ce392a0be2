import { expect, test } from 'bun:test';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createApp } from '../src/app.ts';
import { loadConfig } from '../src/config/load.ts';
import { folderOf, journalsIn, segmentFile } from '../src/journal/files.ts';
import { openDatabase } from '../src/storage/open.ts';
import { Log } from '../src/telemetry/log.ts';
import { firefoxOf } from './support/agents-of-people.ts';
import { hitCounter } from './support/counted-hits.ts';
import { eventually } from './support/eventually.ts';
import { storeFolder } from './support/migrated-store.ts';
import { plainHit } from './support/plain-hit.ts';

const hit = {
  ...plainHit,
  at: Date.now(),
  userAgent: '',
} as const;

const userAgentOf = (version: number) => firefoxOf(version);

const hitCount = 100;

interface Line {
  readonly event: string;
  readonly [fact: string]: unknown;
}

const configOf = (dataDir: string) => loadConfig({ PORT: '0', DATA_DIR: dataDir, MISS_LIMIT: '0' });

/** Writes an unfolded journal into the data folder. Returns the journal's folder and its segment file. */
async function writeLeftoverJournal(dataDir: string): Promise<{ folder: string; file: string }> {
  const app = await createApp(configOf(dataDir), { hits: 'unfolded' });
  for (let version = 0; version < hitCount; version++)
    await app.clicks.append({ ...hit, at: hit.at + version * 10, userAgent: userAgentOf(version) });
  await app.stop();
  const [name] = journalsIn(dataDir);
  if (name === undefined) throw new Error('no journal');
  const folder = folderOf(dataDir, name);
  return { folder, file: segmentFile(folder, 1) };
}

/** Starts the app on that data folder, waits until every journal is folded, and returns the number of hits and the log. */
async function foldAll(dataDir: string): Promise<{ ledger: number; lines: Line[] }> {
  const lines: Line[] = [];
  const app = await createApp(configOf(dataDir), {
    log: new Log('warn', (line) => lines.push(JSON.parse(line))),
  });
  const counter = hitCounter(dataDir, '');
  try {
    await eventually(() => journalsIn(dataDir).length === 0, 'the leftover journal to be folded');
    return { ledger: (await counter.of(1)).ledger, lines };
  } finally {
    await counter.close();
    await app.stop();
  }
}

test('damage in a journal loses only the damaged hits, is logged and counted, and the segment is kept until its hits expire', async () => {
  await using data = await storeFolder();
  const { file } = await writeLeftoverJournal(data.path);
  const bytes = readFileSync(file);
  const middle = bytes.indexOf('Firefox/50.0');
  for (const at of [middle, bytes.indexOf('Firefox/70.0')]) bytes[at] = (bytes[at] ?? 0) ^ 0x20;
  writeFileSync(file, bytes);

  const { ledger, lines } = await foldAll(data.path);
  expect(ledger).toBe(hitCount - 2);
  const damage = lines.filter(({ event }) => event === 'journal damaged');
  expect(damage).toMatchObject([{ level: 'error', segment: 1, gaps: 2, damaged_so_far: 1 }]);
  const kept = String(damage[0]?.kept);
  expect(readFileSync(kept).equals(bytes)).toBe(true);
  expect(statSync(kept).mode & 0o777).toBe(0o600);

  const longAgo = Date.now() / 1_000 - 10_000 * 86_400;
  utimesSync(kept, longAgo, longAgo);
  const restarted = await createApp(configOf(data.path));
  restarted.clicks.cleanUp();
  await eventually(() => !existsSync(kept), 'the kept segment to be deleted');
  await restarted.stop();
});

test('garbage in a lock file prevents neither the start nor the folding of that journal', async () => {
  await using data = await storeFolder();
  const { folder } = await writeLeftoverJournal(data.path);
  const [name] = journalsIn(data.path);
  for (const [index, garbage] of [
    Buffer.from('x'),
    Buffer.alloc(5_000, 'garbage'),
    Buffer.from('SQLite format 3\0and so on'.padEnd(4_096, '?')),
  ].entries()) {
    const copy = folderOf(data.path, { node: name?.node ?? '', process: `copy-${index}` });
    cpSync(folder, copy, { recursive: true });
    writeFileSync(join(copy, 'lock'), garbage);
  }
  rmSync(folder, { recursive: true });
  expect(journalsIn(data.path)).toHaveLength(3);
  const { ledger, lines } = await foldAll(data.path);
  expect(ledger).toBe(3 * hitCount);
  expect(lines.filter(({ event }) => event !== 'countries unknown')).toEqual([]);
});

test('a segment that was truncated before its watermark is reported, and later segments are folded', async () => {
  await using data = await storeFolder();
  const { folder, file } = await writeLeftoverJournal(data.path);
  const bytes = readFileSync(file);
  const [name] = journalsIn(data.path);
  if (name === undefined) throw new Error('no journal');
  const database = await openDatabase(null, data.path, () => {});
  await database.write((queries) =>
    queries
      .insertInto('journal_watermarks')
      .values({ node: `${name.node}/${name.process}`, segment: 1, byte_offset: bytes.length })
      .execute(),
  );
  await database.close();
  truncateSync(file, 1_000);
  writeFileSync(segmentFile(folder, 2), bytes);

  const { ledger, lines } = await foldAll(data.path);
  expect(ledger).toBe(hitCount);
  expect(lines.filter(({ event }) => event.startsWith('journal'))).toMatchObject([
    { event: 'journal truncated', segment: 1, bytes: bytes.length - 1_000 },
  ]);
});

test('a journal that was created and never used is removed with its process, or at the next start', async () => {
  await using data = await storeFolder();
  const unused = () => readdirSync(join(data.path, 'journal-unused'));
  const app = await createApp(configOf(data.path));
  expect(unused()).toHaveLength(1);
  expect(journalsIn(data.path)).toEqual([]);
  await app.stop();
  expect(unused()).toEqual([]);
});
