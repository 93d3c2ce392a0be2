import { RecentLoads } from '../../src/compose/recent-loads.ts';
import type { LinkForVisitor } from '../../src/rules/resolve.ts';
import type { ChangeMark, LinkChange } from '../../src/storage/changes.ts';
import { ChangeFollower } from '../../src/visit/follow-changes.ts';
import type { IdRange } from '../../src/visit/id-gaps.ts';
import { LinkCache } from '../../src/visit/link-cache.ts';
import { SimulatedProcess, type World } from './world.ts';

const suffixes = [...'abcdefghijkl'];
const nodeCount = 3;
const rounds = 4;
const steps = 60;
/** Between two looks at the feed. */
const pollInterval = 400;
/** In which every node has tried in vain to read the feed: a restore takes so long at least. */
const absence = 3_000;
/** Within which no stale link may be left. */
const promise = 5_000;

interface State {
  /** Each link's version; 0 where it is deleted. */
  readonly versions: Map<string, number>;
  readonly changes: Map<number, LinkChange>;
  nextId: number;
  history: string;
}

/** Links and their feed, with transactions that commit in another order than they got their ids in. */
class FeedStore {
  readonly #world: World;
  #state: State = { versions: new Map(), changes: new Map(), nextId: 1, history: 'first' };
  #copies: State[] = [];
  #version = 0;
  #epoch = 0;
  /** Sessions take their ids from blocks of so many. */
  readonly #blockLength: number;
  readonly #blocks = new Map<number, number[]>();
  #absences = 0;
  /** Answers that are under way when it ends are lost. */
  #connection = 0;

  constructor(world: World) {
    this.#world = world;
    this.#blockLength = world.pick([1, 1, 10]);
  }

  get isAway(): boolean {
    return this.#absences > 0;
  }

  leave(milliseconds: number, returns = () => {}): void {
    this.#absences += 1;
    this.#connection += 1;
    this.#world.after(milliseconds, () => {
      this.#absences -= 1;
      returns();
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
      if (epoch !== this.#epoch || this.isAway) return;
      const version = this.#world.happens(0.3) ? 0 : ++this.#version;
      this.#state.versions.set(suffix, version);
      this.#state.changes.set(id, { id, at: this.#world.instant, domain_id: 0, suffixes: suffix });
    });
  }

  copy(): void {
    this.#copies.push(this.#copyOf(this.#state));
  }

  /** A replica that lagged takes its place, and tells so. */
  promote(): void {
    this.#goBack();
    this.#state.history = `promoted ${this.#epoch}`;
  }

  /** It goes back without telling so. */
  restore(): void {
    this.leave(absence, () => this.#goBack());
  }

  #goBack(): void {
    if (this.#copies.length === 0) return;
    const index = this.#world.below(this.#copies.length);
    this.#state = this.#copyOf(this.#copies[index] as State);
    this.#copies = this.#copies.slice(0, index + 1);
    this.#epoch += 1;
    this.#blocks.clear();
  }

  /** As it was when the question arrived. */
  async load(suffix: string): Promise<LinkForVisitor | null> {
    const version = await this.#ask(() => this.versionOf(suffix));
    return version === 0 ? null : ({ id: 1, destinationUrl: `${version}`, options: null } as LinkForVisitor);
  }

  readonly feed = {
    history: () => this.#ask(({ history }) => ({ history, started: null })),
    newest: () => this.#ask((state): ChangeMark | null => sorted(state).at(-1) ?? null),
    from: (id: number, max: number) =>
      this.#ask((state) =>
        sorted(state)
          .filter((row) => row.id >= id)
          .slice(0, max),
      ),
    missing: (after: number) =>
      this.#ask((state) =>
        sorted(state)
          .filter(({ id }) => id > after)
          .map(({ id }, index, all) => ({ first: (all[index - 1]?.id ?? after) + 1, last: id - 1 }))
          .filter(({ first, last }) => first <= last),
      ),
    within: (ranges: readonly IdRange[], max: number) =>
      this.#ask((state) =>
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

  async #ask<T>(read: (state: State) => T): Promise<T> {
    await this.#world.pause(this.#delay());
    if (this.isAway) throw new Error('away');
    const connection = this.#connection;
    const answer = read(this.#state);
    await this.#world.pause(this.#delay());
    if (connection !== this.#connection) throw new Error('connection lost');
    return answer;
  }

  #delay(): number {
    return this.#world.happens(0.05) ? this.#world.below(900) : this.#world.below(5);
  }

  #copyOf({ versions, changes, nextId, history }: State): State {
    return { versions: new Map(versions), changes: new Map(changes), nextId, history };
  }
}

const sorted = ({ changes }: State): LinkChange[] =>
  [...changes.values()].sort((one, other) => one.id - other.id);

/** Caches of several nodes and the feed between them: once everything is well again, no node has a stale link after 5 seconds. */
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
        pollSucceeded: (wasAway) => {
          if (wasAway)
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
  await world.pass(10_000);
  const visit = () => {
    const { cache, process } = world.pick(nodes);
    const suffix = world.pick(suffixes);
    figures.visits += 1;
    world.runAs(process, () => {
      if (cache.peek(0, suffix) === undefined) Promise.resolve(cache.fetch(0, suffix)).catch(() => {});
    });
  };
  const change = () => {
    if (store.isAway) return;
    figures.changes += 1;
    store.change(world.pick(suffixes));
  };
  const loseStore = () => store.leave(world.below(4_000));
  const usual = [...Array(8).fill(visit), change, change, change, () => store.copy()];
  /** Nodes have loaded links whose changes they have not read from the feed. */
  const restoreUnread = async () => {
    store.copy();
    for (let count = 0; count < 3; count++) change();
    await world.pass(20);
    for (let count = 0; count < 20; count++) visit();
    await world.pass(20);
    store.restore();
  };
  const rare = [
    () => store.promote(),
    () => store.promote(),
    restoreUnread,
    () => store.restore(),
    loseStore,
  ];
  for (let round = 0; round < rounds && world.problems.length === 0; round++) {
    for (let step = 0; step < steps; step++) {
      await world.pass(world.below(300));
      await world.pick(world.happens(0.02) ? rare : usual)();
    }
    // The last transactions and absences end.
    await world.pass(4_000);
    await world.pass(promise);
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
    const right = store.versionOf(suffix);
    if (cached !== right) world.fail(`node ${node} has version ${cached} of "${suffix}", which is ${right}`);
  }
}
