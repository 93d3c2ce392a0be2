/** Folds the journals in the data folder into the store, and prints the time, CPU and memory that it took. */
import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import type { FromFold, ToFold } from '../src/ledger/fold/fold-messages.ts';
import { PostgresFoldStore } from '../src/ledger/stores/postgres-fold-store.ts';
import { clickServerOf } from '../src/rules/clicks-url.ts';
import { hitStoreId } from '../src/storage/moved-hits.ts';
import { openDatabase } from '../src/storage/open.ts';
import { claimSetting } from '../src/storage/settings.ts';

const dataDir = process.env.DATA_DIR ?? '';
const databaseUrl = process.env.DATABASE_URL || null;
const now = Date.now();

const clickServer = clickServerOf(process.env.CLICKS_URL ?? '');

const database = await openDatabase(databaseUrl, dataDir, () => {});
await database.write(async (queries) => {
  if (clickServer !== null) await claimSetting(queries, hitStoreId, 'bench');
  // Chunks are made of the hits of organizations.
  await queries
    .insertInto('organizations')
    .values({ id: 1, name: 'bench', created_at: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
});
await database.close();
Bun.gc(true);

/** The size of the SQLite file in bytes; the parent process measures that of a PostgreSQL database. */
function stored(): number {
  if (databaseUrl !== null) return 0;
  const database = new Database(join(dataDir, 'linnet.sqlite'));
  database.run('pragma wal_checkpoint(truncate)');
  return Bun.file(join(dataDir, 'linnet.sqlite')).size;
}

/** Merges hits into chunks, which the fold postpones until it is idle: this is part of the cost of a hit. */
async function mergeAll(url: string): Promise<void> {
  const store = new PostgresFoldStore(url);
  while (await store.chunkSome(now));
  await store.close();
}

const worker = new Worker(new URL('../src/fold-thread.ts', import.meta.url).href, { smol: true });
const residentBytes: number[] = [];
const sampling = setInterval(() => residentBytes.push(process.memoryUsage.rss()), 100);
const before = process.cpuUsage();
const startedAt = performance.now();
worker.onmessage = async ({ data }: MessageEvent<FromFold>) => {
  if (data.kind === 'warning' || data.kind === 'fault') process.stderr.write(`${JSON.stringify(data)}\n`);
  if (data.kind !== 'recovered') return;
  const seconds = (performance.now() - startedAt) / 1000;
  worker.terminate();
  if (databaseUrl !== null && clickServer === null) await mergeAll(databaseUrl);
  const { user, system } = process.cpuUsage(before);
  clearInterval(sampling);
  const at = (fraction: number) => residentBytes[Math.floor((residentBytes.length - 1) * fraction)] ?? 0;
  process.stdout.write(
    `${JSON.stringify({ seconds, cpu: (user + system) / 1e6, early: at(0.4), late: at(1), stored: stored() })}\n`,
  );
  process.exit(0);
};
const settings = {
  dataDir,
  databaseUrl,
  clickServer,
  saltDir: join(dataDir, 'visitor-salts'),
  saltKey: '',
  origin: 'https://links.example.com',
  daysKept: 180,
  clock: 'messages',
  keep: { milliseconds: 0, bytes: 0 },
  repeatWindow: 2_000,
  floodLimit: 30_000,
  countryFile: null,
  webhookAddress: 'shortened',
  journal: { node: 'bench', process: 'own' },
} as const;
worker.postMessage({ kind: 'start', settings, now } satisfies ToFold);
