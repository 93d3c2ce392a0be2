import { randomBytes } from 'node:crypto';
import { bundledCountryFile } from '../bundle/module-urls.ts';
import type { HitWriter } from '../ledger/external-hits.ts';
import { enrichParts } from '../ledger/fold/enrich.ts';
import type { FoldSettings, FromFold } from '../ledger/fold/fold-messages.ts';
import type { FoldParts } from '../ledger/fold/fold-worker-parts.ts';
import { openCountryFile, openLazily } from '../ledger/fold/geo.ts';
import type { FoldStore } from '../ledger/fold-store.ts';
import { SqliteFoldStore } from '../ledger/stores/sqlite-fold-store.ts';
import { ownSalts, SaltFolder } from '../ledger/visitors/salts/salt-folder.ts';
import { SharedSalts } from '../ledger/visitors/salts/shared-salts.ts';
import { DailySalts, type SaltStore } from '../ledger/visitors/visitor-hash.ts';
import type { ClickServer } from '../rules/clicks-url.ts';
import { dayLength } from '../rules/durations.ts';
import { Site } from '../rules/site.ts';
import { clickDeliveries } from '../webhooks/click-outbox.ts';

type Report = (message: Extract<FromFold, { kind: 'warning' }>) => void;

/** What a fold needs: its store, the salts of visitors, and the known hosts and countries. */
export async function foldPartsOf(
  settings: Omit<FoldSettings, 'journal'>,
  report: Report,
): Promise<FoldParts> {
  const { store, saltStore } = await storesOf(settings, report);
  const salts = new DailySalts(saltStore, randomBytes);
  const site = new Site(new URL(settings.origin));
  const hosts = new Set<string>([new URL(settings.origin).hostname]);
  return {
    store,
    salts,
    hosts,
    enrich: enrichParts({
      placeOf: openLazily(
        () => openCountryFile(settings.countryFile ?? bundledCountryFile()),
        ({ message }) => report({ kind: 'warning', event: 'countries unknown', facts: { error: message } }),
      ),
      isOwnHost: (host) => hosts.has(host),
      salts,
    }),
    deliveriesOf: (clicks, journal, instant) => (links, hitIdOf) =>
      links.size === 0
        ? []
        : clickDeliveries(clicks(links), links, {
            site,
            addressForm: settings.webhookAddress,
            now: instant,
            journal,
            hitIdOf,
          }),
  };
}

/** Loaded only where it is needed. */
async function openWriter(server: ClickServer, storeId: string, hadTables: boolean): Promise<HitWriter> {
  const { ClickhouseWriter } = await import('../ledger/clickhouse/clickhouse-writer.ts');
  return ClickhouseWriter.open(server, storeId, undefined, hadTables);
}

/** A thread loads only what its database needs. */
async function storesOf(
  settings: Omit<FoldSettings, 'journal'>,
  report: Report,
): Promise<{ store: FoldStore; saltStore: SaltStore }> {
  const folder = new SaltFolder(settings.saltDir);
  if (settings.databaseUrl === null)
    return { store: new SqliteFoldStore(settings.dataDir), saltStore: ownSalts(folder) };
  const { PostgresFoldStore } = await import('../ledger/stores/postgres-fold-store.ts');
  const { clickServer } = settings;
  const store = new PostgresFoldStore(
    settings.databaseUrl,
    undefined,
    clickServer && ((storeId, hadTables) => openWriter(clickServer, storeId, hadTables)),
  );
  const saltStore = new SharedSalts({
    folder,
    exchange: store.saltExchange,
    key: settings.saltKey,
    onAlone: (day) =>
      report({
        kind: 'warning',
        event: 'visitor salt not shared',
        facts: { day: new Date(day * dayLength).toISOString().slice(0, 10) },
      }),
  });
  return { store, saltStore };
}
