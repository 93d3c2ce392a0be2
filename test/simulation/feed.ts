import { RecentLoads } from '../../src/compose/recent-loads.ts';
import type { LinkForVisitor } from '../../src/rules/link-rules/resolve.ts';
import type { ChangeMark, LinkChange } from '../../src/storage/changes.ts';
import { ChangeFollower } from '../../src/visit/follow-changes.ts';
import type { IdRange } from '../../src/visit/id-gaps.ts';
import { LinkCache } from '../../src/visit/link-cache.ts';
import { SimulatedProcess, type World } from './world.ts';

const suffixes = [...'abcdefghijkl'];
const nodeCount = 3;
const rounds = 4;
const steps = 60;
/** Milliseconds between two polls of the feed. */
const pollInterval = 400;
/** The duration of a restore: long enough that a poll of every node fails meanwhile. */
const restoreTime = 3_000;
/** Milliseconds after which no node may have a stale link. */
const maxStaleness = 5_000;

interface State {
  /** Each link's version; 0 where it is deleted. */
  readonly versions: Map<string, number>;
  readonly changes: Map<number, LinkChange>;
  nextId: number;
  timeline: string;
}

/** Links and their feed, with transactions that don't commit in the order of their ids. */
class FeedStore {
  readonly #world: World;
  #state: State = { versions: new Map(), changes: new Map(), nextId: 1, timeline: 'first' };
  #copies: State[] = [];
  #version = 0;
  #epoch = 0;
  /** The number of ids that a session reserves at a time. */
  readonly #blockLength: number;
  readonly #blocks = new Map<number, number[]>();
  #outages = 0;
  /** The number of the current connection; responses in transit are lost when it ends. */
  #connection = 0;

  constructor(world: World) {
    this.#world = world;
    this.#blockLength = world.pick([1, 1, 10]);
  }

  get isUnavailable(): boolean {
    return this.#outages > 0;
  }

  goAway(milliseconds: number, onReturn = () => {}): void {
    this.#outages += 1;
    this.#connection += 1;
    this.#world.after(milliseconds, () => {
      this.#outages -= 1;
      onReturn();
    });
  }

  versionOf(suffix: string): number {
    return this.#state.versions.get(suffix) ?? 0;
  }

  /** Commits some time after it got its id. */
  change(suffix: string): void {
    const epoch = this.#epoch;
    const id = this.#takeId();
    this.#world.after(this.#world.happens(0.3) ? this.#world.below(3_000) : 0, () => {
      if (epoch !== this.#epoch || this.isUnavailable) return;
      const version = this.#world.happens(0.3) ? 0 : ++this.#version;
      this.#state.versions.set(suffix, version);
      this.#state.changes.set(id, { id, at: this.#world.instant, domain_id: 0, suffixes: suffix });
    });
  }

  saveCopy(): void {
    this.#copies.push(this.#copyOf(this.#state));
  }

  /** A lagging replica replaces the store; the timeline shows it. */
  promote(): void {
    this.#rollBack();
    this.#state.timeline = `promoted ${this.#epoch}`;
  }

  /** An earlier state is restored; the timeline doesn't show it. */
  restore(): void {
    this.goAway(restoreTime, () => this.#rollBack());
  }

  #rollBack(): void {
    if (this.#copies.length === 0) return;
    const index = this.#world.below(this.#copies.length);
    this.#state = this.#copyOf(this.#copies[index] as State);
    this.#copies = this.#copies.slice(0, index + 1);
    this.#epoch += 1;
    this.#blocks.clear();
  }

  /** Loads the link as it was when the query arrived. */
  async load(suffix: string): Promise<LinkForVisitor | null> {
    const version = await this.#query(() => this.versionOf(suffix));
    return version === 0 ? null : ({ id: 1, destinationUrl: `${version}`, options: null } as LinkForVisitor);
  }

  readonly feed = {
    timeline: () => this.#query(({ timeline }) => ({ timeline, started: null })),
    newest: () => this.#query((state): ChangeMark | null => sorted(state).at(-1) ?? null),
    from: (id: number, max: number) =>
      this.#query((state) =>
        sorted(state)
          .filter((row) => row.id >= id)
          .slice(0, max),
      ),
    missing: (after: number) =>
      this.#query((state) =>
        sorted(state)
          .filter(({ id }) => id > after)
          .map(({ id }, index, all) => ({ first: (all[index - 1]?.id ?? after) + 1, last: id - 1 }))
          .filter(({ first, last }) => first <= last),
      ),
    within: (ranges: readonly IdRange[], max: number) =>
      this.#query((state) =>
        sorted(state)
          .filter(({ id }) => ranges.some(({ first, last }) => first <= id && id <= last))
          .slice(0, max),
      ),
  };

  #takeId(): number {
    const session = this.#world.below(3);
    const block = this.#blocks.get(session) ?? [];
    this.#blocks.set(session, block);
    if (block.length === 0)
      block.push(...Array.from({ length: this.#blockLength }, () => this.#state.nextId++));
    return block.shift() ?? 0;
  }

  async #query<T>(read: (state: State) => T): Promise<T> {
    await this.#world.pause(this.#delay());
    if (this.isUnavailable) throw new Error('away');
    const connection = this.#connection;
    const result = read(this.#state);
    await this.#world.pause(this.#delay());
    if (connection !== this.#connection) throw new Error('connection lost');
    return result;
  }

  #delay(): number {
    return this.#world.happens(0.05) ? this.#world.below(900) : this.#world.below(5);
  }

  #copyOf({ versions, changes, nextId, timeline }: State): State {
    return { versions: new Map(versions), changes: new Map(changes), nextId, timeline };
  }
}

const sorted = ({ changes }: State): LinkChange[] =>
  [...changes.values()].sort((one, other) => one.id - other.id);

/** Runs the link caches of several nodes and the feed between them: 5 seconds after the last fault, no node may have a stale link. */
export async function simulateFeed(world: World): Promise<{ changes: number; visits: number }> {
  const store = new FeedStore(world);
  const figures = { changes: 0, visits: 0 };
  const nodes = Array.from({ length: nodeCount }, () => {
    const recentLoads = new RecentLoads();
    const load = recentLoads.ofLinks((_, suffix) => store.load(suffix));
    const cache = new LinkCache(load, { bytes: 1e6, misses: 100 });
    const follower = new ChangeFollower(
      store.feed,
      {
        changed: (change) => cache.forget(change.domain_id, change.suffixes),
        lost: () => cache.clear(),
        pollBegins: () => recentLoads.pollBegins(),
        pollSucceeded: (wasUnavailable) => {
          if (wasUnavailable)
            for (const { domainId, suffix } of recentLoads.unconfirmed?.links ?? [])
              cache.forget(domainId, suffix);
          recentLoads.pollSucceeded();
        },
        failed: () => {},
      },
      () => world.instant,
    );
    return { cache, follower, process: new SimulatedProcess(0) };
  });
  for (const { follower, process } of nodes)
    world.runAs(process, () => void follower.start(pollInterval).catch((cause) => world.fail(cause)));
  await world.advance(10_000);
  const visit = () => {
    const { cache, process } = world.pick(nodes);
    const suffix = world.pick(suffixes);
    figures.visits += 1;
    world.runAs(process, () => {
      if (cache.peek(0, suffix) === undefined) Promise.resolve(cache.fetch(0, suffix)).catch(() => {});
    });
  };
  const change = () => {
    if (store.isUnavailable) return;
    figures.changes += 1;
    store.change(world.pick(suffixes));
  };
  const interruptStore = () => store.goAway(world.below(4_000));
  const frequentSteps = [...Array(8).fill(visit), change, change, change, () => store.saveCopy()];
  /** A restore at a time when nodes have loaded links whose changes they have not read from the feed yet. */
  const restoreUnread = async () => {
    store.saveCopy();
    for (let count = 0; count < 3; count++) change();
    await world.advance(20);
    for (let count = 0; count < 20; count++) visit();
    await world.advance(20);
    store.restore();
  };
  const rareSteps = [
    () => store.promote(),
    () => store.promote(),
    restoreUnread,
    () => store.restore(),
    interruptStore,
  ];
  for (let round = 0; round < rounds && world.problems.length === 0; round++) {
    for (let step = 0; step < steps; step++) {
      await world.advance(world.below(300));
      await world.pick(world.happens(0.02) ? rareSteps : frequentSteps)();
    }
    // The last transactions and outages end.
    await world.advance(4_000);
    await world.advance(maxStaleness);
    for (const [index, { cache }] of nodes.entries()) checkCache(world, store, cache, index);
  }
  for (const { process } of nodes) process.kill();
  return figures;
}

function checkCache(world: World, store: FeedStore, cache: LinkCache, node: number): void {
  for (const suffix of suffixes) {
    const link = cache.peek(0, suffix);
    if (link === undefined) continue;
    const cached = Number(link?.destinationUrl ?? 0);
    const current = store.versionOf(suffix);
    if (cached !== current)
      world.fail(`node ${node} has version ${cached} of "${suffix}", the current one is ${current}`);
  }
}
