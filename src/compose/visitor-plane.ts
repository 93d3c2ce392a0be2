import { resolve } from 'node:path';
import type { Config } from '../config/options.ts';
import { believesProxies } from '../http/client-address.ts';
import type { RawHit } from '../journal/hit.ts';
import { Site } from '../rules/site.ts';
import { openLookups } from '../storage/open.ts';
import type { Log } from '../telemetry/log.ts';
import type { Express } from '../visit/connection/connection.ts';
import { type ConnectionLimits, connectionLimits } from '../visit/connection/connection-limits.ts';
import { descriptorLimit } from '../visit/connection/descriptor-limit.ts';
import { Listener, originOf } from '../visit/connection/listener.ts';
import { fastPath } from '../visit/fast-path.ts';
import { MissLimit } from '../visit/miss-limit.ts';
import { Redirects } from '../visit/redirects.ts';
import { followChanges, forget, type Known, knownOf } from './caches.ts';
import type { Overrides } from './overrides.ts';
import { openRecording } from './recording.ts';
import type { Start } from './start.ts';
import type { Change, Clicks, ServerBehind, StartVisitors, Visitors } from './visitors.ts';

export type PlaneOverrides = Pick<Overrides, 'now' | 'pollInterval' | 'journalDisk' | 'hits'>;

const cacheBounds = { bytes: 64 * 1024 * 1024, misses: 100_000 };

/** In the thread that this is called in: for tests, whose clock and disk can't leave it. */
export const visitorsHere: StartVisitors = async (config, behind, overrides, log) =>
  new VisitorPlane(config, behind, overrides, log);

/** What plain visits are answered with, put together. It knows nothing of accounts or of the API. */
export class VisitorPlane implements Visitors {
  readonly #behind: ServerBehind;
  readonly #start: Start;
  #outer: Listener | null = null;
  #express: Express = () => null;
  readonly #limits: ConnectionLimits;
  #known: Known | null = null;
  #clicks: Clicks | null = null;

  constructor(config: Config, behind: ServerBehind, overrides: PlaneOverrides, log: Log) {
    this.#behind = behind;
    this.#limits = connectionLimits(config, descriptorLimit());
    const opened = new AsyncDisposableStack();
    this.#start = { config, overrides, log, now: overrides.now ?? Date.now, opened };
    if (config.workers === 1) this.listen();
  }

  get port(): number {
    return this.#outer?.port ?? this.#start.config.port;
  }

  get origin(): string {
    return originOf(this.#start.config.host, this.port);
  }

  get clicks(): Clicks {
    if (this.#clicks === null) throw new Error('the visitors are not let in yet');
    return this.#clicks;
  }

  async open(origin: string): Promise<void> {
    const { config, overrides, log, now, opened } = this.#start;
    const site = new Site(new URL(origin));
    const lookups = openLookups(config.databaseUrl, resolve(config.dataDir), (cause) =>
      log.warn('database connection lost', { error: cause.message }),
    );
    opened.defer(() => lookups.close());
    const known = knownOf(site, lookups, now, cacheBounds);
    const { links, hosts } = known;
    await followChanges(known, lookups.queries, this.#start);
    const recording = openRecording(site, this.#start, (task) => this.#afterTurn(task));
    const redirects = new Redirects({
      links,
      now,
      record:
        overrides.hits === 'dropped'
          ? null
          : (hit: RawHit) => (recording.keep(hit) ? 'stored' : 'after_turn'),
      believesProxies: believesProxies(config.trustedProxies),
      misses: new MissLimit(config.missLimit, now, this.#behind.misses),
      wayOut: (host, method, path) => hosts.wayOut(host, method, path),
    });
    [this.#known, this.#clicks] = [known, recording];
    this.#express = fastPath({
      trustedProxies: config.trustedProxies,
      domainOf: (host) => hosts.domainOf(host),
      redirects,
    });
    this.#outer?.open(this.#express);
    this.#tellLimits();
  }

  listen(): void {
    if (this.#outer !== null) return;
    const { config, log } = this.#start;
    this.#outer = new Listener(config, this.#behind, this.#limits, (cause, leftOut) =>
      log.error('request failed', cause, leftOut > 0 ? { held_back: leftOut } : {}),
    );
    this.#outer.open(this.#express);
  }

  #tellLimits(): void {
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
    if (this.#known !== null) forget(this.#known, change);
  }

  caughtUp(): null {
    return null;
  }

  async stopTaking(patience: number): Promise<void> {
    await this.#outer?.stopTaking(patience);
  }

  async endConnections(): Promise<void> {
    await this.#outer?.endConnections();
  }

  /** Also when it never came to `stopTaking`, because the start went wrong: nothing is left that keeps a process awake. */
  async close(): Promise<void> {
    await this.stopTaking(0);
    await this.endConnections();
    await this.#start.opened.disposeAsync();
  }

  #afterTurn(task: () => void): void {
    if (this.#outer === null) setImmediate(task);
    else this.#outer.afterTurn(task);
  }
}
