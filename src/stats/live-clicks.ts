import type { Ledger } from '../ledger/ledger.ts';
import { openLedger } from '../ledger/open-ledger.ts';
import type { Database } from '../storage/database.ts';
import { SettledIds } from './settled-ids.ts';

interface Watcher {
  readonly organizationId: number;
  wake(): void;
  /** Another organization takes its place. */
  end(): void;
}

interface LiveOptions {
  /** Milliseconds between polls of the ledger while there are watchers. */
  readonly interval: number;
  /** Milliseconds: the longest silence of a stream, and the longest time it may outlive its credential. */
  readonly heartbeat: number;
  readonly onFault: (cause: unknown) => void;
}

const maxPerPoll = 5_000;
/** How many of the newest ids may have gaps that are filled later: as many as nodes fold at a time. */
const idsBack = 4_000;
const maxWatchers = { organization: 20, node: 500 };

/**
 * Follows the ledger while there are watchers, and wakes those with new hits. It holds no hits: each watcher reads its own, as
 * fast as its client takes them, so a slow client costs nothing but its position in the ledger.
 */
export class LiveClicks {
  readonly #ledger: Ledger;
  readonly #writers: 'one' | 'several';
  readonly #options: LiveOptions;
  readonly #watchers = new Set<Watcher>();
  readonly #closing = new AbortController();
  #settled: SettledIds | undefined;
  #newest = 0;
  #starting: Promise<void> | undefined;
  #timer: Timer | undefined;
  #polling: Promise<void> | undefined;

  constructor(database: Database, options: LiveOptions) {
    this.#ledger = openLedger(database);
    this.#writers = database.kind === 'sqlite' ? 'one' : 'several';
    this.#options = options;
  }

  get heartbeat(): number {
    return this.#options.heartbeat;
  }

  /** Aborted when this node stops. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** No hit will appear at or before this id any more. */
  get settled(): number {
    return this.#settled?.upTo ?? 0;
  }

  /** Where a new stream begins. Read from the ledger, because the latest poll may have been before the newest hits. */
  end(): Promise<number> {
    return this.#ledger.newestId();
  }

  /**
   * Where a stream continues after a hit. If the ledger ends before that id (it was restored from a backup, and assigns these ids
   * again), the stream continues at the end of the ledger.
   */
  async positionAfter(id: number): Promise<number> {
    return id <= this.#newest ? id : Math.min(id, await this.end());
  }

  hasRoomFor(organizationId: number): boolean {
    const own = this.#watchersOf(organizationId).length;
    if (own >= maxWatchers.organization) return false;
    return this.#watchers.size < maxWatchers.node || this.#largestShare().length > own + 1;
  }

  /**
   * Has `wake` called whenever there are new hits of the organization, until the returned function is called. On a full node the
   * latest watcher of the organization with the most ends: otherwise a few organizations could have all places.
   */
  async watch(watcher: Watcher): Promise<() => void> {
    const displaced = this.#watchers.size >= maxWatchers.node ? this.#largestShare().at(-1) : undefined;
    if (displaced) {
      this.#watchers.delete(displaced);
      displaced.end();
    }
    this.#watchers.add(watcher);
    try {
      await this.#follow();
    } catch (cause) {
      this.#watchers.delete(watcher);
      throw cause;
    }
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  #watchersOf(organizationId: number): readonly Watcher[] {
    return [...this.#watchers].filter((watcher) => watcher.organizationId === organizationId);
  }

  /** The watchers of the organization with the most, earliest first. */
  #largestShare(): readonly Watcher[] {
    const byOrganization = Map.groupBy(this.#watchers, ({ organizationId }) => organizationId);
    return [...byOrganization.values()].reduce((most, own) => (own.length > most.length ? own : most), []);
  }

  /** Hits have just been folded on this node: polls at once. */
  folded(): void {
    if (this.#watchers.size > 0 && this.#settled) this.#poll();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#polling;
  }

  async #follow(): Promise<void> {
    if (this.#settled) return;
    this.#starting ??= this.#startFollowing().finally(() => {
      this.#starting = undefined;
    });
    await this.#starting;
  }

  /** For the first watcher: follows the ledger from its end, minus the newest ids, among which hits may still appear. */
  async #startFollowing(): Promise<void> {
    const newest = await this.#ledger.newestId();
    const [first] = await this.#ledger.ownersAfter(newest - idsBack, 1);
    this.#newest = newest;
    this.#settled = new SettledIds(first ? first.id - 1 : newest, this.#writers);
    this.#poll();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#watchers.size === 0) this.#settled = undefined;
    else if (!this.#closing.signal.aborted)
      this.#timer = setTimeout(() => this.#poll(), this.#options.interval);
  }

  #poll(): void {
    if (this.#closing.signal.aborted) return;
    this.#polling ??= this.#advance()
      .catch(this.#options.onFault)
      .finally(() => {
        this.#polling = undefined;
        this.#schedule();
      });
  }

  async #advance(): Promise<void> {
    const settled = this.#settled;
    if (!settled) return;
    for (;;) {
      const hits = await this.#ledger.ownersAfter(settled.upTo, maxPerPoll);
      this.#newest = Math.max(this.#newest, hits.at(-1)?.id ?? 0);
      const newHits = settled.take(hits, performance.now());
      const owners = new Set(newHits.map((hit) => hit.organization_id));
      for (const { organizationId, wake } of this.#watchers) if (owners.has(organizationId)) wake();
      if (newHits.length < maxPerPoll) return;
    }
  }
}
