/** Runs in a thread of its own, beside the one that answers: from the journals into storage. */
import { randomBytes } from 'node:crypto';
import { enrichParts } from './clicks/enrich.ts';
import { FoldDesk } from './clicks/fold-desk.ts';
import type { FoldSettings, FromFold, ToFold } from './clicks/fold-messages.ts';
import { bundledCountryFile, openCountryFile, whenAsked } from './clicks/geo.ts';
import { DailySalts } from './clicks/visitor-hash.ts';
import { Site } from './rules/site.ts';
import { PostgresFoldStore } from './storage/fold-postgres.ts';
import { SqliteFoldStore } from './storage/fold-sqlite.ts';
import { giveWay } from './threads/give-way.ts';
import { clearUpAtRest } from './threads/rest.ts';
import { clickDeliveries } from './webhooks/click-outbox.ts';

declare const self: Worker;

const tell = (message: FromFold) => self.postMessage(message);
let desk: FoldDesk | undefined;

giveWay();
clearUpAtRest(() => desk?.release());

self.onmessage = (event: MessageEvent<ToFold>) => {
  const message = event.data;
  if (message.kind === 'start') desk = deskOf(message.settings, message.now);
  else desk?.take(message);
};

function deskOf(settings: FoldSettings, now: number): FoldDesk {
  const store =
    settings.databaseUrl === null
      ? new SqliteFoldStore(settings.dataDir)
      : new PostgresFoldStore(settings.databaseUrl);
  const salts = new DailySalts(
    {
      settle: (day, fresh) => store.settleSalt(day, fresh),
      forgetBefore: (day) => store.deleteSaltsBefore(day),
    },
    randomBytes,
  );
  const site = new Site(new URL(settings.origin));
  const hosts = new Set<string>([new URL(settings.origin).hostname]);
  const countryOf = whenAsked(
    () => openCountryFile(settings.countryFile ?? bundledCountryFile()),
    (problem) => tell({ kind: 'trouble', event: 'countries unknown', facts: { error: problem.message } }),
  );
  return new FoldDesk({
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
