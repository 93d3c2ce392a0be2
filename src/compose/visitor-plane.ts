import { resolve } from 'node:path';
import type { RawHit } from '../clicks/enrich.ts';
import type { Recording } from '../clicks/recording.ts';
import type { Config } from '../config/options.ts';
import { believesProxies, networkOf } from '../http/client-address.ts';
import { expressDoor } from '../http/express-door.ts';
import { OuterServer } from '../http/outer-server.ts';
import { ExpressRedirects } from '../redirect/express.ts';
import type { Hosts } from '../redirect/hosts.ts';
import type { LinkCache } from '../redirect/link-cache.ts';
import { MissLimit } from '../redirect/miss-limit.ts';
import { Site } from '../rules/site.ts';
import { reservedSegments } from '../rules/suffix.ts';
import { openLookups } from '../storage/open.ts';
import type { Log } from '../telemetry/log.ts';
import { changeFollower, hostsOf, linksOf, recordingOf } from './data-plane.ts';
import type { Overrides } from './overrides.ts';
import type { Change, Clicks, ServerBehind, StartVisitors, Visitors } from './visitors.ts';

export type PlaneOverrides = Pick<Overrides, 'now' | 'pollInterval' | 'journalDisk' | 'hits'>;

const cacheBounds = { bytes: 64 * 1024 * 1024, misses: 100_000 };
const pollInterval = 400;

/** In the thread that this is called in: for tests, whose clock and disk can't leave it. */
export const visitorsHere: StartVisitors = async (config, behind, overrides, log) =>
  new VisitorPlane(config, behind, overrides, log);

/** What plain visits are answered with, put together. It knows nothing of accounts or of the API. */
export class VisitorPlane implements Visitors {
  readonly #config: Config;
  readonly #behind: ServerBehind;
  readonly #overrides: PlaneOverrides;
  readonly #log: Log;
  readonly #outer: OuterServer;
  readonly #opened: (() => Promise<void>)[] = [];
  #links: LinkCache | null = null;
  #hosts: Hosts | null = null;
  #recording: Recording | null = null;

  constructor(config: Config, behind: ServerBehind, overrides: PlaneOverrides, log: Log) {
    this.#config = config;
    this.#behind = behind;
    this.#overrides = overrides;
    this.#log = log;
    this.#outer = new OuterServer(config, behind, (cause) => log.error('request failed', cause));
  }

  get port(): number {
    return this.#outer.port;
  }

  get origin(): string {
    return this.#outer.origin;
  }

  get clicks(): Clicks {
    if (this.#recording === null) throw new Error('the visitors are not let in yet');
    return this.#recording;
  }

  async open(origin: string): Promise<void> {
    const [config, log] = [this.#config, this.#log];
    const now = this.#overrides.now ?? Date.now;
    const site = new Site(new URL(origin));
    const lookups = openLookups(config.databaseUrl, resolve(config.dataDir), (cause) =>
      log.warn('database connection lost', { error: cause.message }),
    );
    this.#opened.push(() => lookups.close());
    const links = linksOf(lookups.queries, cacheBounds);
    const hosts = hostsOf(site, lookups.queries, now);
    const follower = changeFollower(lookups.queries, now, links, hosts, log);
    await follower.start(this.#overrides.pollInterval ?? pollInterval);
    this.#opened.push(() => follower.stop());
    const recording = recordingOf(config, site, now, this.#overrides, log);
    this.#opened.push(() => recording.stop());
    const redirects = new ExpressRedirects({
      links,
      now,
      record: this.#overrides.hits === 'dropped' ? null : (hit: RawHit) => recording.append(hit),
      believesProxies: believesProxies(config.trustedProxies),
      misses: new MissLimit(config.missLimit, now, this.#behind.misses),
      networkOf,
      wayOut: (host, method, path) => hosts.wayOut(host, method, path),
    });
    [this.#links, this.#hosts, this.#recording] = [links, hosts, recording];
    this.#outer.open(
      expressDoor({
        trustedProxies: config.trustedProxies,
        domainOf: (host) => hosts.domainOf(host),
        service: reservedSegments,
        link: (visit, domainId, host, address) => redirects.answer(domainId, host, visit, address),
      }),
    );
  }

  change({ links, hosts }: Change): void {
    for (const { domainId, suffix } of links) this.#links?.forget(domainId, suffix);
    for (const host of hosts) this.#hosts?.forget(host);
  }

  caughtUp(): null {
    return null;
  }

  stopTaking(patience: number): Promise<void> {
    return this.#outer.stopTaking(patience);
  }

  endConnections(): Promise<void> {
    return this.#outer.endConnections();
  }

  async close(): Promise<void> {
    await this.#outer.endConnections();
    for (const close of this.#opened.splice(0).reverse()) await close();
  }
}
