import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { folderOf, type JournalName, type Position, segmentFile } from '../src/journal/files.ts';
import type { RawHit } from '../src/journal/hit.ts';
import { RecordWriter } from '../src/journal/record-writer.ts';
import { enrichParts } from '../src/ledger/enrich.ts';
import type { FromFold } from '../src/ledger/fold-messages.ts';
import { FoldWorker } from '../src/ledger/fold-worker.ts';
import { ownSalts, SaltFolder } from '../src/ledger/salts/salt-folder.ts';
import { SqliteFoldStore } from '../src/ledger/sqlite-fold-store.ts';
import { DailySalts } from '../src/ledger/visitor-hash.ts';
import { openDatabase } from '../src/storage/open.ts';
import { eventually } from './support/eventually.ts';
import { temporaryFolder } from './support/program.ts';

const noon = Date.UTC(2026, 10, 19, 12);
const plain: RawHit = {
  linkId: 1,
  organizationId: 1,
  at: noon,
  outcome: 'redirect',
  target: 'default',
  method: 'GET',
  address: '198.51.100.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  acceptLanguage: '',
  referer: '',
  query: '',
  purpose: '',
  clientHints: 0,
  witness: 'none',
  doNotTrack: false,
  countryHint: '',
  ledBy: '',
  alias: '',
};
const own: JournalName = { node: 'here', process: 'own' };
const left: JournalName = { node: 'here', process: 'left' };

test.each([
  ['also where a batch without it was folded since', [['winter'], ['spring']], 'new words are gone'],
  ['also beside the one that has its id now', [['spring', 'summer']], 'two words have one id'],
] as const)('a word that the database no longer has is noticed, %s', async (_, batches, reason) => {
  await using folder = await temporaryFolder();
  await (await openDatabase(null, folder.path, () => {})).close();
  const writers = new Map<JournalName, { writer: RecordWriter; offset: number }>();
  /** A hit of this campaign. Returns where it ends. */
  const write = (name: JournalName, campaign: string): Position => {
    mkdirSync(folderOf(folder.path, name), { recursive: true });
    const state = writers.get(name) ?? { writer: new RecordWriter(), offset: 0 };
    state.writer.add({ ...plain, query: `?utm_campaign=${campaign}` });
    const bytes = state.writer.finish();
    appendFileSync(segmentFile(folderOf(folder.path, name), 1), bytes);
    writers.set(name, { ...state, offset: state.offset + bytes.length });
    return { segment: 1, offset: state.offset + bytes.length };
  };
  write(left, 'spring');

  const store = new SqliteFoldStore(folder.path);
  const salts = new DailySalts(
    ownSalts(new SaltFolder(join(folder.path, 'visitor-salts'))),
    (count) => new Uint8Array(count),
  );
  const told: FromFold[] = [];
  const worker = new FoldWorker({
    settings: {
      dataDir: folder.path,
      saltDir: join(folder.path, 'visitor-salts'),
      saltKey: '',
      databaseUrl: null,
      clickServer: null,
      origin: 'http://127.0.0.1',
      daysKept: 180,
      clock: 'told',
      keep: { milliseconds: 60_000, bytes: 1e6 },
      repeatWindow: 0,
      floodLimit: 0,
      countryFile: null,
      webhookAddress: 'none',
      journal: own,
    },
    store,
    salts,
    enrich: enrichParts({ countryOf: () => 'XX', isOwnHost: () => false, salts }),
    hosts: new Set(),
    now: noon,
    deliveriesOf: () => () => [],
    tell: (message) => told.push(message),
  });
  await eventually(() => told.some(({ kind }) => kind === 'recovered'), 'the journal that was left');

  // The database goes back to before it had "spring", and another node gives the id to another word.
  const database = new Database(join(folder.path, 'linnet.sqlite'));
  database.run("update words set word = 'summer' where word = 'spring'");
  for (const [index, campaigns] of batches.entries()) {
    const [end] = campaigns.map((campaign) => write(own, campaign)).slice(-1);
    if (end === undefined) throw new Error('a batch has hits');
    worker.take({ kind: 'wake', end, now: noon });
    const isLast = index === batches.length - 1;
    await eventually(
      () =>
        told.some((message) =>
          isLast
            ? message.kind === 'restart'
            : message.kind === 'folded' && message.position.offset === end.offset,
        ),
      isLast ? 'the fold to begin again' : 'the batch without the word',
    );
  }
  expect(told.filter(({ kind }) => kind === 'restart')).toEqual([{ kind: 'restart', reason }]);
  expect(database.query('select count(*) from hits').values()).toEqual([[batches.length]]);
  database.close();
  await store.close();
});
