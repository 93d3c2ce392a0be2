import { join } from 'node:path';
import type { RawHit } from '../../src/journal/hit.ts';
import { minuteLength } from '../../src/rules/durations.ts';
import { firefox } from '../support/agents-of-people.ts';
import { SimulatedLocks } from './locks.ts';
import { SimulatedNode } from './node.ts';
import { noFaults, SimulatedStore, type Snapshot } from './store.ts';
import { SimulatedTarget } from './target.ts';
import type { World } from './world.ts';

const nodeCount = 3;
const steps = 60;
/** Links with a webhook, with a Zap, and with neither. */
const hooks = [
  { id: 1, organization: 1, webhook: 'https://hooks.example/click', zap: null },
  { id: 2, organization: 2, webhook: null, zap: 'https://hooks.example/zap' },
  { id: 3, organization: 1, webhook: null, zap: null },
] as const;
const linkWithoutHook = hooks[2];

export interface Figures {
  hits: number;
  answered: number;
  lost: number;
  kills: number;
  promotions: number;
  posts: number;
}

/**
 * Runs the journal, fold, outbox and deliverer of three nodes, with kills, power losses, full disks, and a store that is unreachable,
 * answers late or never, or is replaced by a lagging replica. In the end each answered click must be counted once, and delivered
 * under one id. The folder contains an empty store.
 */
export async function simulateClicks(world: World, folder: string): Promise<Figures> {
  const run = new ClickRun(world, folder);
  try {
    return await run.execute();
  } finally {
    await run.close();
  }
}

class ClickRun {
  readonly #world: World;
  readonly #store: SimulatedStore;
  readonly #target: SimulatedTarget;
  readonly #nodes: readonly SimulatedNode[];
  readonly #linkOfHit = new Map<string, number>();
  readonly #answered = new Set<string>();
  readonly #mayBeLost = new Set<string>();
  readonly #copies: string[] = [];
  #snapshots: Snapshot[] = [];
  readonly #figures: Figures = { hits: 0, answered: 0, lost: 0, kills: 0, promotions: 0, posts: 0 };

  constructor(world: World, folder: string) {
    this.#world = world;
    this.#store = new SimulatedStore(world, folder);
    this.#target = new SimulatedTarget(world);
    const observer = {
      answered: (hit: string) => this.#answered.add(hit),
      mayBeLost: (hit: string) => this.#mayBeLost.add(hit),
    };
    this.#nodes = Array.from(
      { length: nodeCount },
      (_, index) =>
        new SimulatedNode(world, this.#store, observer, {
          dataDir: join(folder, `node-${index}`),
          repeatWindow: 10_000,
        }),
    );
    const { lockFile } = new SimulatedLocks(world);
    Object.assign(globalThis, { simulation: { lockFile, post: this.#target.post } });
  }

  async execute(): Promise<Figures> {
    const world = this.#world;
    this.#makeLinks();
    for (const node of this.#nodes) node.start();
    for (let step = 0; step < steps && world.problems.length === 0; step++) {
      await world.advance(world.happens(0.2) ? world.below(8_000) : world.below(600));
      this.#step();
    }
    await this.#repair();
    if (world.problems.length === 0) this.#check();
    return { ...this.#figures, answered: this.#answered.size, posts: this.#target.posts };
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) node.remove();
    await this.#store.close();
  }

  #makeLinks(): void {
    for (const id of [1, 2])
      this.#store.rows(
        `insert into organizations (id, created_at, name, qr_marker, watch_destinations) values (${id}, 0, '', 0, 0) returning id`,
      );
    for (const { id, organization, webhook, zap } of hooks) {
      const text = (value: string | null) => (value === null ? 'null' : `'${value}'`);
      this.#store.rows(
        `insert into links (id, created_at, updated_at, organization_id, domain_id, suffix, destination_url, qr_foreground,
           qr_background, qr_png, bot_protection, captcha, search_text, webhook_url, webhook_events, zapier_hook_url)
         values (${id}, 0, 0, ${organization}, 0, 'link-${id}', 'https://example.com/', '', '', 0, 0, 0, '',
           ${text(webhook)}, 'click', ${text(zap)}) returning id`,
      );
    }
  }

  #step(): void {
    const world = this.#world;
    const node = world.pick(this.#nodes);
    if (!node.isUp && world.happens(0.2)) node.start();
    if (world.happens(0.55)) {
      this.#visit(node);
      return;
    }
    const steps = [
      () => this.#failStore(),
      () => this.#failStore(),
      () => this.#fillDisk(node),
      () => node.setKillingWrites(world.pick([0, 0, 0.2])),
      () => this.#kill(node, () => node.kill()),
      () => this.#kill(node, () => node.kill()),
      () => this.#kill(node, () => node.losePower()),
      () => void node.stop().then(() => this.#startLater(node)),
      () => node.endThread(),
      () => node.cleanUp(),
      () => this.#copy(node),
      () => void this.#foldCopy(),
      () => void this.#store.snapshot().then((snapshot) => this.#snapshots.push(snapshot)),
      () => void this.#store.snapshot().then((snapshot) => this.#snapshots.push(snapshot)),
      () => this.#promote(),
      () => this.#loseTarget(),
    ];
    world.pick(steps)();
  }

  #visit(node: SimulatedNode): void {
    if (!node.isUp) return;
    const world = this.#world;
    const isMany = world.happens(0.1);
    const count = isMany ? 100 + world.below(200) : 1 + world.below(12);
    // Webhook messages take most of a run's time, so few of many hits cause one.
    const link = () => (isMany && world.happens(0.9) ? linkWithoutHook : world.pick(hooks));
    node.visit(Array.from({ length: count }, () => this.#newHit(link())));
    if (!node.isUp) this.#kill(node, () => node.kill());
  }

  #newHit(link: (typeof hooks)[number]): readonly [string, RawHit] {
    const number = ++this.#figures.hits;
    // Spread over two fields, so that no hour has too many values of one field.
    const [campaign, content] = [number % 50, Math.floor(number / 50)];
    const name = `hit${campaign}.${content}`;
    this.#linkOfHit.set(name, link.id);
    return [
      name,
      {
        linkId: link.id,
        organizationId: link.organization,
        at: 0,
        outcome: 'redirect',
        target: 'default',
        method: 'GET',
        address: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
        userAgent: firefox,
        acceptLanguage: 'en',
        clientHints: 0,
        referer: '',
        query: `?utm_campaign=hit${campaign}&utm_content=${content}&x=${name}&`,
        purpose: '',
        headerEvidence: 'none',
        doNotTrack: false,
        countryHint: '',
        alias: '',
        matchedRule: '',
      },
    ];
  }

  #failStore(): void {
    const world = this.#world;
    world.log('store: fails');
    if (world.happens(0.4)) this.#store.isUnavailable = true;
    else this.#store.faults = { refused: 0.1, lostResponses: 0.15, late: 0.1, kills: world.pick([0, 0.05]) };
    world.after(world.below(15_000), () => {
      this.#store.isUnavailable = false;
      this.#store.faults = noFaults;
      world.log('store: works again');
    });
  }

  #fillDisk(node: SimulatedNode): void {
    node.fillDisk(true);
    this.#world.after(this.#world.below(4_000), () => node.fillDisk(false));
  }

  #kill(node: SimulatedNode, kill: () => void): void {
    this.#figures.kills += 1;
    kill();
    this.#startLater(node);
  }

  #startLater(node: SimulatedNode): void {
    this.#world.after(this.#world.below(10_000), () => node.start());
  }

  #copy(node: SimulatedNode): void {
    const copy = node.copy();
    if (copy !== null) this.#copies.push(copy);
  }

  async #foldCopy(): Promise<void> {
    if (this.#copies.length > 0) await this.#nodes[0]?.foldCopy(this.#world.pick(this.#copies));
  }

  #promote(): void {
    const recent = this.#snapshots.filter(({ at }) => this.#world.now - at < 10 * minuteLength);
    if (recent.length === 0 || this.#store.isUnavailable) return;
    const snapshot = this.#world.pick(recent);
    this.#figures.promotions += 1;
    this.#store.isUnavailable = true;
    this.#world.after(this.#world.below(2_000), () => {
      // Meanwhile an older replica was promoted, which doesn't have this state.
      if (!this.#snapshots.includes(snapshot)) return;
      this.#snapshots = this.#snapshots.filter(({ at }) => at <= snapshot.at);
      void this.#store.promote(snapshot).then(() => {
        this.#store.isUnavailable = false;
      });
    });
  }

  #loseTarget(): void {
    this.#target.isUnavailable = true;
    this.#world.after(this.#world.below(20_000), () => {
      this.#target.isUnavailable = false;
    });
  }

  /** Ends all faults, and waits until everything is counted and delivered. */
  async #repair(): Promise<void> {
    const world = this.#world;
    await world.advance(25_000);
    this.#store.isUnavailable = false;
    this.#store.faults = noFaults;
    this.#target.isUnavailable = false;
    this.#target.isUnreliable = false;
    for (const node of this.#nodes) {
      node.fillDisk(false);
      node.setKillingWrites(0);
      node.start();
    }
    const waitUntil = async (isDone: () => boolean, wait: number, attempts: number) => {
      for (let attempt = 0; attempt < attempts && world.problems.length === 0 && !isDone(); attempt++)
        await world.advance(wait);
    };
    const isCounted = () =>
      this.#missingHits().length === 0 && this.#nodes.every(({ waiting }) => waiting === 0);
    await waitUntil(isCounted, 5_000, 60);
    for (const copy of this.#copies) void this.#nodes[0]?.foldCopy(copy);
    await world.advance(30_000);
    await waitUntil(() => this.#waitingDeliveries() === 0, minuteLength, 180);
  }

  #waitingDeliveries(): number {
    const [row] = this.#store.rows<{ waiting: number }>(
      "select count(*) as waiting from webhook_deliveries where state = 'waiting'",
    );
    return row?.waiting ?? 0;
  }

  #countsByHit(): Map<string, number> {
    const rows = this.#store.rows<{ word: string; hits: number }>(
      `select campaigns.word || '.' || contents.word as word, count(*) as hits from hits
        join words as campaigns on campaigns.id = utm_campaign join words as contents on contents.id = utm_content
        group by utm_campaign, utm_content`,
    );
    return new Map(rows.map(({ word, hits }) => [word, hits]));
  }

  #missingHits(counted = this.#countsByHit()): string[] {
    return [...this.#answered].filter((hit) => !counted.has(hit) && !this.#mayBeLost.has(hit));
  }

  #check(): void {
    const world = this.#world;
    const counted = this.#countsByHit();
    const listOf = (hits: readonly string[]) => `${hits.length}: ${hits.slice(0, 5).join(', ')}`;
    const missing = this.#missingHits(counted);
    if (missing.length > 0) world.fail(`answered and not counted: ${listOf(missing)}`);
    const duplicates = [...counted].filter(([, hits]) => hits > 1).map(([hit]) => hit);
    if (duplicates.length > 0) world.fail(`counted more than once: ${listOf(duplicates)}`);
    this.#figures.lost = [...this.#answered].filter((hit) => !counted.has(hit)).length;
    const [sums] = this.#store.rows<Record<string, number>>(`select
      (select coalesce(sum(clicks), 0) from link_clicks) as clicks,
      (select coalesce(sum(click), 0) from link_hours) as hours,
      (select coalesce(sum(hits), 0) from organization_rollups where dimension = 0) as organizations,
      (select count(*) from daily_visitors where owner > 0) as visitors`);
    const isTimeRight = !this.#nodes.some((node) => node.isInAnotherYear);
    if (sums !== undefined && !isTimeRight) delete sums.visitors;
    for (const [name, sum] of Object.entries(sums ?? {}))
      if (sum !== counted.size) world.fail(`${name}: ${sum} of ${counted.size}`);
    if (this.#waitingDeliveries() > 0) world.fail(`${this.#waitingDeliveries()} deliveries are never sent`);
    const due = [...counted.keys()].flatMap((hit) => {
      const hook = hooks.find(({ id }) => id === this.#linkOfHit.get(hit));
      const target = hook?.webhook ?? hook?.zap;
      return target ? [`${target} ${hit}`] : [];
    });
    const { received } = this.#target;
    const undelivered = due.filter((click) => !received.has(click));
    if (undelivered.length > 0) world.fail(`clicks that no webhook received: ${listOf(undelivered)}`);
    const withSeveralIds = [...received]
      .filter(([, ids]) => ids.size !== 1)
      .map(([click, ids]) => `${click} (${[...ids].join(' ')})`);
    if (withSeveralIds.length > 0) world.fail(`delivered under several ids: ${listOf(withSeveralIds)}`);
  }
}
