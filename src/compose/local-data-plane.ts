import { resolve } from 'node:path';
import { requireMasterKey } from '../auth/master-key.ts';
import { Secrets } from '../auth/secrets.ts';
import type { Config } from '../config/options.ts';
import { trustsProxies } from '../http/client-address.ts';
import type { RawHit } from '../journal/hit.ts';
import type { ClickRecorder } from '../ledger/click-recorder.ts';
import { hashSeedOf } from '../rules/day-hash.ts';
import { Site } from '../rules/site.ts';
import type { NotFoundCount } from '../storage/not-found-visits.ts';
import { openLookups } from '../storage/open-lookups.ts';
import type { Queries } from '../storage/schema.ts';
import type { Log } from '../telemetry/log.ts';
import { gauge, type Metric } from '../telemetry/metrics.ts';
import type { FastPath } from '../visit/connection/connection.ts';
import { type ConnectionLimits, connectionLimits } from '../visit/connection/connection-limits.ts';
import { descriptorLimit } from '../visit/connection/descriptor-limit.ts';
import { Listener, originOf } from '../visit/connection/listener.ts';
import { fastPath } from '../visit/fast-path.ts';
import { insecurePath, secureOriginOf } from '../visit/insecure-path.ts';
import { MissLimit } from '../visit/miss-limit.ts';
import { NotFoundTally } from '../visit/not-found-tally.ts';
import { tickClock } from '../visit/tick-clock.ts';
import type { CertificateFinder } from '../visit/tls/certificate-finder.ts';
import { VisitCounts } from '../visit/visit-counts.ts';
import { accessLogOf } from './access-log.ts';
import { type Caches, cachesOf, followChanges, forget, redirectsOf, trustOf } from './caches.ts';
import { openClickRecorder } from './click-recorder.ts';
import { placesOf } from './countries.ts';
import type { AppServerAccess, Change, Clicks, DataPlane, StartDataPlane } from './data-plane.ts';
import { type Https, httpsPorts } from './https-ports.ts';
import type { Overrides } from './overrides.ts';
import { sharedClock } from './shared-clock.ts';
import type { Start } from './start.ts';
import { clickMetrics, visitMetrics } from './thread-metrics.ts';

const cacheBounds = { bytes: 64 * 1024 * 1024, misses: 100_000 };

/** For tests, whose clock and disk can't be sent to another thread. */
export const startInThisThread: StartDataPlane = async (config, appServer, overrides, log) =>
  new LocalDataPlane(config, appServer, overrides, log);

/** The data plane in the thread that creates it. It knows nothing about accounts or the API. */
export class LocalDataPlane implements DataPlane {
  readonly #appServer: AppServerAccess;
  readonly #start: Start;
  #listener: Listener | null = null;
  #fastPath: FastPath = () => null;
  #insecurePath: FastPath = () => null;
  readonly #limits: ConnectionLimits;
  #caches: Caches | null = null;
  #clicks: ClickRecorder | null = null;
  readonly #counts = new VisitCounts();
  readonly #notFound: NotFoundTally;
  #feedLag: () => number = () => 0;
  readonly #https: Https | null;
  #certificates: CertificateFinder | null = null;
  #certificateRequested: (host: string) => void = () => {};

  constructor(config: Config, appServer: AppServerAccess, overrides: Overrides, log: Log) {
    this.#appServer = appServer;
    this.#limits = connectionLimits(config, descriptorLimit());
    const opened = new AsyncDisposableStack();
    const now = overrides.now ?? Date.now;
    this.#start = { config, overrides, log, now, opened };
    this.#notFound = new NotFoundTally(trustOf(config), now);
    this.#https = this.#openHttps();
    if (config.workers === 1) this.listen();
  }

  get port(): number {
    return this.#listener?.port ?? this.#start.config.port;
  }

  get httpPort(): number | null {
    return this.#listener?.httpPort ?? null;
  }

  get origin(): string {
    const { host, https } = this.#start.config;
    return originOf(host, this.port, https !== 'off');
  }

  get clicks(): Clicks {
    if (this.#clicks === null) throw new Error('the data plane is not open yet');
    return this.#clicks;
  }

  async open(origin: string, saltKey: string): Promise<void> {
    const { config, overrides, log, opened } = this.#start;
    const site = new Site(new URL(origin));
    const lookups = await openLookups(config.databaseUrl, resolve(config.dataDir), (cause) =>
      log.warn('database connection lost', { error: cause.message }),
    );
    opened.defer(() => lookups.close());
    const now = await sharedClock(this.#start, lookups.queries);
    const tickNow = tickClock(now, (task) => this.#afterTick(task));
    const caches: Caches = {
      ...cachesOf(site, lookups, tickNow, cacheBounds, config.forwardQuery),
      certificates: () => this.#certificates,
    };
    this.#feedLag = await followChanges(caches, lookups.queries, { ...this.#start, now });
    const recorder = openClickRecorder(site, saltKey, this.#start, (task) => this.#afterTick(task));
    const redirects = redirectsOf(caches, config, {
      now: tickNow,
      visitors: { placeOf: placesOf(config, log), hashSeed: hashSeedOf(saltKey) },
      misses: new MissLimit(config.missLimit, now, this.#appServer.misses),
      notFound: this.#notFound,
      counts: this.#counts,
      record:
        overrides.hits === 'dropped' ? null : (hit: RawHit) => (recorder.keep(hit) ? 'stored' : 'after_tick'),
    });
    [this.#caches, this.#clicks] = [caches, recorder];
    await this.#openCertificates(caches, lookups.queries, site);
    const domainOf = (host: string) => caches.hosts.domainOf(host);
    this.#fastPath = fastPath({ trustedProxies: config.trustedProxies, domainOf, redirects });
    const isRefused = (host: string) => this.#certificates?.isRefused(host) ?? false;
    this.#insecurePath =
      config.httpLinks === 'answer'
        ? this.#fastPath
        : insecurePath({
            domainOf,
            secureOrigin: secureOriginOf(config, site, isRefused),
            mayBeForwarded: trustsProxies(config.trustedProxies),
            answer: this.#fastPath,
          });
    this.#listener?.open(this.#fastPath, this.#insecurePath);
    this.#logLimits();
  }

  listen(): void {
    if (this.#listener !== null) return;
    const { config, log } = this.#start;
    const report = (cause: unknown, leftOut: number) =>
      log.error('request failed', cause, leftOut > 0 ? { held_back: leftOut } : {});
    this.#listener = new Listener(config, this.#appServer, this.#limits, report, {
      https: this.#https,
      note: accessLogOf(this.#start),
      answered: (milliseconds, count) => this.#counts.answerTimes.add(milliseconds, count),
    });
    this.#listener.open(this.#fastPath, this.#insecurePath);
  }

  #openHttps(): Https | null {
    const { config, overrides, log, now, opened } = this.#start;
    if (config.https === 'off') return null;
    const ports = httpsPorts({
      config,
      log,
      now,
      watchInterval: overrides.certificateInterval,
      handshakeTimeout: overrides.handshakeTimeout,
    });
    opened.defer(() => ports.stop());
    return ports;
  }

  /**
   * From now on serves certificates from the store. The service's own is looked up at once, which orders it if it doesn't exist.
   */
  async #openCertificates(caches: Caches, lookup: Queries, { defaultHost }: Site): Promise<void> {
    const { config, log } = this.#start;
    if (this.#https?.open === undefined) return;
    const secrets = new Secrets(await requireMasterKey(config.secretKey, resolve(config.dataDir)));
    const finder = this.#https.open({
      ownHost: defaultHost,
      lookup,
      secrets,
      isServed: async (host) => (await caches.hosts.domainOf(host)) !== null,
      request: (host) => this.#certificateRequested(host),
    });
    this.#certificates = finder;
    Promise.resolve(finder.find(defaultHost, '')).catch((cause) =>
      log.warn('certificate not looked up', { error: String(cause) }),
    );
  }

  onCertificateRequested(listener: (host: string) => void): void {
    this.#certificateRequested = listener;
  }

  #logLimits(): void {
    const { config, log } = this.#start;
    const { total, perNetwork, upstream } = this.#limits;
    log.info('open files', {
      limit: descriptorLimit(),
      connections: total,
      of_one_network: perNetwork,
      upstream,
    });
    if (total < (config.maxConnections ?? 0))
      log.warn('too few open files', { wanted: config.maxConnections, connections: total });
  }

  change(change: Change): void {
    if (this.#caches !== null) forget(this.#caches, change);
  }

  async measure(): Promise<readonly Metric[]> {
    return [
      ...visitMetrics(this.#counts, this.#feedLag()),
      ...(this.#clicks === null ? [] : clickMetrics(this.#clicks.figures())),
      gauge('linnet_connections', 'Connections of clients.', this.#listener?.connections ?? 0),
      gauge('linnet_connections_max', 'Connections there may be: MAX_CONNECTIONS.', this.#limits.total),
    ];
  }

  async takeNotFound(): Promise<readonly NotFoundCount[]> {
    return this.#notFound.take();
  }

  caughtUp(): null {
    return null;
  }

  drain(): void {
    this.#listener?.drain();
  }

  async stopAccepting(timeout: number): Promise<void> {
    await this.#listener?.stopAccepting(timeout);
  }

  async endConnections(): Promise<void> {
    await this.#listener?.endConnections();
  }

  /** Works without a preceding `stopAccepting`, after a failed start: nothing is left that keeps the process alive. */
  async close(): Promise<void> {
    await this.stopAccepting(0);
    await this.endConnections();
    await this.#start.opened.disposeAsync();
  }

  #afterTick(task: () => void): void {
    if (this.#listener === null) setImmediate(task);
    else this.#listener.afterTick(task);
  }
}
