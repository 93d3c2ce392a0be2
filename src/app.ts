import { resolve } from 'node:path';
import { BodyMemory } from './api/body-memory.ts';
import { HeavyReads } from './api/heavy-reads.ts';
import { routes as apiRoutes } from './api/routes.ts';
import { serveApi } from './api/serve.ts';
import { siteOf, whenBaseUrlChanges } from './compose/base-url.ts';
import { bundleEarly } from './compose/bundle-early.ts';
import { cachesOf, followChanges, forget, redirectsOf, trustOf } from './compose/caches.ts';
import { refusedNamesOf, startIssuer } from './compose/certificates.ts';
import { openControlPlane } from './compose/control-plane.ts';
import { placesOf } from './compose/countries.ts';
import type { Change, Clicks, StartDataPlane } from './compose/data-plane.ts';
import { warnOfHiddenDomain } from './compose/domains.ts';
import { drain } from './compose/drain.ts';
import { HttpsSince } from './compose/https-since.ts';
import { liveClicksOf } from './compose/live-clicks.ts';
import { startInThisThread } from './compose/local-data-plane.ts';
import { LostChanges } from './compose/lost-changes.ts';
import type { MetricSource } from './compose/metrics.ts';
import { reportThisNode } from './compose/node-heartbeat.ts';
import { storeNotFoundVisits } from './compose/not-found-visits.ts';
import type { Overrides } from './compose/overrides.ts';
import { Readiness } from './compose/readiness.ts';
import { requestHandlerOf } from './compose/redirects.ts';
import { routesOf } from './compose/router.ts';
import { answerOtherNodes, saltKeyOf } from './compose/salts.ts';
import { scheduleClickCleanup, startScheduledJobs } from './compose/scheduled-jobs.ts';
import { openServers } from './compose/servers.ts';
import { sharedClock } from './compose/shared-clock.ts';
import type { Start } from './compose/start.ts';
import { journalMetrics, nodeMetrics, outboxMetrics } from './compose/store-metrics.ts';
import { threadMetrics, visitMetrics } from './compose/thread-metrics.ts';
import { watchVersion } from './compose/version-watch.ts';
import type { Config } from './config/options.ts';
import { router } from './http/router.ts';
import type { RawHit } from './journal/hit.ts';
import { setupToken } from './manage/accounts/register-user.ts';
import type { Caching, Context } from './manage/context.ts';
import { hashSeedOf } from './rules/day-hash.ts';
import { hasUsers } from './storage/accounts/users.ts';
import type { Lookups } from './storage/database.ts';
import { findLinkForVisitor } from './storage/links/links.ts';
import { claimJournals, openStore } from './store.ts';
import { Log } from './telemetry/log.ts';
import { gauge, type Metric, mergeMetrics } from './telemetry/metrics.ts';
import { NotFoundTally } from './visit/not-found-tally.ts';
import { VisitCounts } from './visit/visit-counts.ts';

export type { Overrides } from './compose/overrides.ts';

export interface App {
  /** The public address. */
  readonly url: string;
  /** The origin this process listens on. */
  readonly listening: string;
  readonly port: number;
  /** The port without TLS, if `port` has TLS. */
  readonly httpPort: number | null;
  readonly context: Context;
  readonly clicks: Clicks;
  /** Needed to create the first account from another machine; null once there is an account. */
  readonly setupToken: string | null;
  /** Resolves when the public address has changed: this app still uses the old one. */
  readonly moved: Promise<void>;
  /** The metrics of this process. */
  measure(): Promise<readonly Metric[]>;
  /** From now on `/readyz` answers 503: the whole instance is shutting down. */
  setNotReady(): void;
  /** Lasts `DRAIN_SECONDS`, during which each answer closes its connection. */
  drain(): Promise<void>;
  /** Lets pending requests finish, then closes everything in reverse order. */
  stop(): Promise<void>;
}

/** For links with a password or captcha: plain links are cached in the data plane. */
const cacheBounds = { bytes: 8 * 1024 * 1024, misses: 10_000 };

/** `gather`: returns the metrics of all processes of this node, if there are several. */
export async function createApp(
  config: Config,
  overrides: Overrides = {},
  startDataPlane: StartDataPlane = startInThisThread,
  gather: MetricSource | null = null,
): Promise<App> {
  const log = overrides.log ?? new Log(config.logLevel);
  const opened = new AsyncDisposableStack();
  try {
    const start = { config, overrides, log, now: overrides.now ?? Date.now, opened };
    return await open(start, startDataPlane, gather);
  } catch (cause) {
    await opened.disposeAsync().catch((fault) => log.error('start not undone', fault));
    throw cause;
  }
}

/** The steps of a start. The stop undoes them in reverse order. */
async function open(given: Start, startDataPlane: StartDataPlane, gather: MetricSource | null): Promise<App> {
  const { config, log, opened } = given;
  // Closed after the connections of the data plane and the fold: SQLite removes its WAL with the last connection that can write.
  const storage = opened.use(new AsyncDisposableStack());
  const { appServer, dataPlane, misses } = await openServers(given, startDataPlane);
  const store = storage.use(await openStore(config, log));
  const { database } = store;
  await claimJournals(database, resolve(config.dataDir));
  const now = await sharedClock(given, database.lookup);
  const start: Start = { ...given, now, overrides: { ...given.overrides, now } };
  const site = await siteOf(config, database, dataPlane.port);
  await warnOfHiddenDomain(site, database.lookup, log);

  const lookups: Pick<Lookups, 'queries' | 'link'> = {
    queries: database.lookup,
    link: (domainId, suffix) => findLinkForVisitor(database.lookup, domainId, suffix),
  };
  const refusedNames = refusedNamesOf(config, store, now);
  const caches = {
    ...cachesOf(site, lookups, now, cacheBounds, config.forwardQuery),
    certificates: () => refusedNames,
  };
  // A SQLite file can only go back in time while no process has it open.
  const lostChanges =
    config.databaseUrl === null
      ? null
      : new LostChanges({
          lookup: database.lookup,
          linkUrl: (host, suffix) => site.linkUrl(host, suffix),
          warn: (event, facts) => log.warnEach(event, facts),
          now,
        });
  if (lostChanges !== null) opened.defer(() => lostChanges.stop());
  const notify = (change: Change, caching: Caching = 'may be cached') => {
    lostChanges?.committed(change);
    if (caching === 'not cached') return;
    forget(caches, change);
    dataPlane.change(change);
  };
  const controlPlane = openControlPlane(start, site, store, notify, caches.hosts, () =>
    dataPlane.clicks.settled(),
  );
  const { context, deliverer, authenticator, apiKeyCache } = controlPlane;
  const feedLag = await followChanges({ ...caches, apiKeyCache }, database.lookup, start, lostChanges);
  startScheduledJobs(start, context, deliverer);
  const notFound = new NotFoundTally(trustOf(config), now);
  storeNotFoundVisits(start, database, dataPlane, notFound);
  answerOtherNodes(start, store);

  await dataPlane.open(site.origin, saltKeyOf(store));
  const { clicks } = dataPlane;
  const live = liveClicksOf(start, database, clicks);
  scheduleClickCleanup(start, clicks);
  const httpsSince = new HttpsSince(database, now);
  if (config.https === 'files') await httpsSince.begin();
  startIssuer(start, store, site, dataPlane, async (host, isIssued) => {
    const change = { links: [], hosts: [host] };
    forget(caches, change);
    dataPlane.change(change);
    if (isIssued && host === site.defaultHost) await httpsSince.begin();
  });
  // The port is closed first, and with it live streams, which would otherwise never end.
  opened.defer(async () => void (await Promise.all([drain(dataPlane, appServer), live.close()])));

  const record = (hit: RawHit) => clicks.append(hit) ?? 'stored';
  const counts = new VisitCounts();
  const visitors = { placeOf: placesOf(config, log), hashSeed: hashSeedOf(saltKeyOf(store)) };
  const redirects = redirectsOf(caches, config, { now, visitors, misses, notFound, record, counts });
  const shared = { live, bodies: new BodyMemory(start.overrides.bodyPatience), heavyReads: new HeavyReads() };
  const serve = serveApi(apiRoutes, { ...context, ...shared }, authenticator, log);
  const api: typeof serve = async (...call) => {
    const answer = await serve(...call);
    // A user who changes a link and then visits it must see the change.
    await dataPlane.caughtUp();
    return answer;
  };
  const readiness = new Readiness(database);
  watchVersion(start, database, readiness);
  const measure = async () =>
    mergeMetrics([
      await dataPlane.measure(),
      visitMetrics(counts, feedLag()),
      threadMetrics(log),
      lostChanges?.metrics() ?? [],
      [gauge('linnet_memory_bytes', 'Memory of the processes.', process.memoryUsage.rss())],
    ]);
  storage.defer(reportThisNode(start, database, resolve(config.dataDir), measure));
  const routes = routesOf({
    config,
    context,
    hosts: caches.hosts,
    isRefused: (host) => refusedNames?.isRefused(host) ?? false,
    redirects: requestHandlerOf(config, context, redirects, log),
    api,
    log,
    readiness,
    httpsIsStable: httpsSince.isStable,
    metrics: [
      gather ?? measure,
      () => nodeMetrics(database.read, now()),
      () => outboxMetrics(database.read, now()),
      () => journalMetrics(database.read, resolve(config.dataDir)),
    ],
  });
  appServer.open(router(routes));
  const token = (await hasUsers(database.read)) ? null : await setupToken(context);
  await dataPlane.listen();
  bundleEarly(start);
  return {
    url: site.origin,
    listening: dataPlane.origin,
    port: dataPlane.port,
    httpPort: dataPlane.httpPort,
    context,
    clicks,
    setupToken: token,
    measure,
    moved: token === null ? new Promise(() => {}) : whenBaseUrlChanges(start, database, site),
    setNotReady: () => readiness.set('draining', 'draining'),
    async drain() {
      appServer.drain();
      await dataPlane.drain();
      await Bun.sleep(config.drainSeconds * 1_000);
    },
    stop: () => opened.disposeAsync(),
  };
}
