import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { folderOf, type JournalName, type Position, segmentFile } from '../../src/journal/files.ts';
import { RecordWriter } from '../../src/journal/record-writer.ts';
import { enrichParts } from '../../src/ledger/fold/enrich.ts';
import type { FoldSettings, FromFold } from '../../src/ledger/fold/fold-messages.ts';
import { FoldWorker } from '../../src/ledger/fold/fold-worker.ts';
import type { SqliteFoldStore } from '../../src/ledger/stores/sqlite-fold-store.ts';
import { ownSalts, SaltFolder } from '../../src/ledger/visitors/salts/salt-folder.ts';
import { DailySalts, type SaltStore } from '../../src/ledger/visitors/visitor-hash.ts';
import { unknownPlace } from '../../src/rules/place.ts';
import { plainHit } from './plain-hit.ts';

/** The journal of the worker's own process, and one that an earlier process left behind. */
export const ownJournal: JournalName = { node: 'here', process: 'own' };
export const leftoverJournal: JournalName = { node: 'here', process: 'left' };

/** Writes journals with one hit per record. */
export class JournalFiles {
  readonly #dataDir: string;
  readonly #at: number;
  readonly #writers = new Map<JournalName, { readonly writer: RecordWriter; length: number }>();

  constructor(dataDir: string, at: number) {
    this.#dataDir = dataDir;
    this.#at = at;
  }

  /** Appends a hit with this campaign, and returns the position of its end. */
  write(name: JournalName, campaign: string, address = plainHit.address): Position {
    const folder = folderOf(this.#dataDir, name);
    mkdirSync(folder, { recursive: true });
    const state = this.#writers.get(name) ?? { writer: new RecordWriter(), length: 0 };
    this.#writers.set(name, state);
    state.writer.add({ ...plainHit, at: this.#at, address, query: `?utm_campaign=${campaign}` });
    const bytes = state.writer.finish();
    appendFileSync(segmentFile(folder, 1), bytes);
    state.length += bytes.length;
    return { segment: 1, offset: state.length };
  }
}

export const foldSettings = (dataDir: string): FoldSettings => ({
  dataDir,
  saltDir: join(dataDir, 'visitor-salts'),
  saltKey: '',
  databaseUrl: null,
  clickServer: null,
  origin: 'http://127.0.0.1',
  daysKept: 180,
  clock: 'messages',
  keep: { milliseconds: 60_000, bytes: 1e6 },
  repeatWindow: 0,
  floodLimit: 0,
  countryFile: null,
  webhookAddress: 'none',
  journal: ownJournal,
});

/** The fold worker, in this thread. */
export function startFoldWorker(
  dataDir: string,
  store: SqliteFoldStore,
  now: number,
  tell: (message: FromFold) => void,
  settings: Partial<FoldSettings> = {},
  wrapSalts: (store: SaltStore) => SaltStore = (store) => store,
): FoldWorker {
  const all = { ...foldSettings(dataDir), ...settings };
  const saltStore = wrapSalts(ownSalts(new SaltFolder(all.saltDir)));
  const salts = new DailySalts(saltStore, (count) => new Uint8Array(count));
  return new FoldWorker({
    settings: all,
    store,
    salts,
    enrich: enrichParts({ placeOf: () => unknownPlace, isOwnHost: () => false, salts }),
    hosts: new Set(),
    now,
    deliveriesOf: () => () => [],
    send: tell,
  });
}
