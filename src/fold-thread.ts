/** The thread of the fold: moves hits from the journals into storage. */
import { randomBytes } from 'node:crypto';
import { bundledCountryFile } from './bundle/located.ts';
import { isPassing } from './journal/passing-fault.ts';
import { enrichParts } from './ledger/enrich.ts';
import type { FoldSettings, FromFold, ToFold } from './ledger/fold-messages.ts';
import type { FoldStore } from './ledger/fold-store.ts';
import { FoldWorker } from './ledger/fold-worker.ts';
import { openCountryFile, whenAsked } from './ledger/geo.ts';
import { PostgresFoldStore } from './ledger/postgres-fold-store.ts';
import { ownSalts, SaltFolder } from './ledger/salts/salt-folder.ts';
import { SharedSalts } from './ledger/salts/shared-salts.ts';
import { SqliteFoldStore } from './ledger/sqlite-fold-store.ts';
import { DailySalts, type SaltStore } from './ledger/visitor-hash.ts';
import { Site } from './rules/site.ts';
import { dayLength } from './rules/utc-time.ts';
import { collectWhenIdle } from './threads/gc-when-idle.ts';
import { lowerPriority } from './threads/lower-priority.ts';
import { clickDeliveries } from './webhooks/click-outbox.ts';

declare const self: Worker;

const retryPause = 1_000;

const tell = (message: FromFold) => self.postMessage(message);
let worker: FoldWorker | undefined;
let opening: Timer | undefined;
/** How far the journal reaches, received before the worker was open. */
let waiting: Extract<ToFold, { kind: 'wake' }> | undefined;

lowerPriority();
collectWhenIdle(() => worker?.release());

self.onmessage = (event: MessageEvent<ToFold>) => {
  const message = event.data;
  if (message.kind === 'start') open(message.settings, message.now);
  else if (worker !== undefined) worker.take(message);
  else if (message.kind === 'wake') waiting = message;
  else if (message.kind === 'stop') {
    clearTimeout(opening);
    tell({ kind: 'stopped' });
  }
};

/** A lack of descriptors or disk space is temporary, so it is tried again: the clicks wait in the journal. */
function open(settings: FoldSettings, now: number): void {
  try {
    worker = workerOf(settings, now);
  } catch (cause) {
    if (!isPassing(cause)) throw cause;
    tell({
      kind: 'trouble',
      event: 'clicks wait in the journal',
      facts: { error: (cause as Error).message },
    });
    opening = setTimeout(() => open(settings, now), retryPause);
    return;
  }
  if (waiting !== undefined) worker.take(waiting);
}

function workerOf(settings: FoldSettings, now: number): FoldWorker {
  const { store, saltStore } = storesOf(settings);
  const salts = new DailySalts(saltStore, randomBytes);
  const site = new Site(new URL(settings.origin));
  const hosts = new Set<string>([new URL(settings.origin).hostname]);
  const countryOf = whenAsked(
    () => openCountryFile(settings.countryFile ?? bundledCountryFile()),
    (problem) => tell({ kind: 'trouble', event: 'countries unknown', facts: { error: problem.message } }),
  );
  return new FoldWorker({
    settings,
    store,
    salts,
    hosts,
    now,
    enrich: enrichParts({
      countryOf,
      isOwnHost: (host) => hosts.has(host),
      salts,
    }),
    deliveriesOf: (clicks, batch, instant) => (links, hitIdOf) =>
      links.size === 0
        ? []
        : clickDeliveries(clicks(links), links, {
            site,
            addressForm: settings.webhookAddress,
            now: instant,
            batch,
            hitIdOf,
          }),
    tell,
  });
}

function storesOf(settings: FoldSettings): { store: FoldStore; saltStore: SaltStore } {
  const folder = new SaltFolder(settings.saltDir);
  if (settings.databaseUrl === null)
    return { store: new SqliteFoldStore(settings.dataDir), saltStore: ownSalts(folder) };
  const store = new PostgresFoldStore(settings.databaseUrl);
  const saltStore = new SharedSalts({
    folder,
    board: store.saltBoard,
    key: settings.saltKey,
    onAlone: (day) =>
      tell({
        kind: 'trouble',
        event: 'visitor salt not shared',
        facts: { day: new Date(day * dayLength).toISOString().slice(0, 10) },
      }),
  });
  return { store, saltStore };
}
