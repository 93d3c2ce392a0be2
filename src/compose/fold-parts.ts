import { randomBytes } from 'node:crypto';
import { bundledCountryFile } from '../bundle/located.ts';
import { enrichParts } from '../ledger/enrich.ts';
import type { FoldSettings, FromFold } from '../ledger/fold-messages.ts';
import type { FoldStore } from '../ledger/fold-store.ts';
import type { FoldParts } from '../ledger/fold-worker.ts';
import { openCountryFile, whenAsked } from '../ledger/geo.ts';
import { PostgresFoldStore } from '../ledger/postgres-fold-store.ts';
import { ownSalts, SaltFolder } from '../ledger/salts/salt-folder.ts';
import { SharedSalts } from '../ledger/salts/shared-salts.ts';
import { SqliteFoldStore } from '../ledger/sqlite-fold-store.ts';
import { DailySalts, type SaltStore } from '../ledger/visitor-hash.ts';
import { unknownCountry } from '../rules/country.ts';
import { Site } from '../rules/site.ts';
import { dayLength } from '../rules/utc-time.ts';
import { clickDeliveries } from '../webhooks/click-outbox.ts';

type Tell = (message: Extract<FromFold, { kind: 'trouble' }>) => void;

/** What a fold works with: its store, the salts of visitors, and what is known of hosts and countries. */
export function foldPartsOf(settings: Omit<FoldSettings, 'journal'>, tell: Tell): FoldParts {
  const { store, saltStore } = storesOf(settings, tell);
  const salts = new DailySalts(saltStore, randomBytes);
  const site = new Site(new URL(settings.origin));
  const hosts = new Set<string>([new URL(settings.origin).hostname]);
  const countryOf = whenAsked(
    () => openCountryFile(settings.countryFile ?? bundledCountryFile()),
    unknownCountry,
    (problem) => tell({ kind: 'trouble', event: 'countries unknown', facts: { error: problem.message } }),
  );
  return {
    store,
    salts,
    hosts,
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
  };
}

function storesOf(
  settings: Omit<FoldSettings, 'journal'>,
  tell: Tell,
): { store: FoldStore; saltStore: SaltStore } {
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
