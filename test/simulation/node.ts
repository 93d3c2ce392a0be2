import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { correctedClock } from '../../src/compose/shared-clock.ts';
import type { RawHit } from '../../src/journal/hit.ts';
import { ClickRecorder } from '../../src/ledger/click-recorder.ts';
import { enrichParts } from '../../src/ledger/fold/enrich.ts';
import { foldFolder } from '../../src/ledger/fold/fold-folder.ts';
import type { FoldSettings, FromFold, ToFold } from '../../src/ledger/fold/fold-messages.ts';
import { FoldWorker } from '../../src/ledger/fold/fold-worker.ts';
import type { FoldParts } from '../../src/ledger/fold/fold-worker-parts.ts';
import { DailySalts } from '../../src/ledger/visitors/visitor-hash.ts';
import { dayLength, hourLength } from '../../src/rules/durations.ts';
import { StoreUnavailable } from '../../src/rules/errors.ts';
import { unknownPlace } from '../../src/rules/place.ts';
import { Site } from '../../src/rules/site.ts';
import { clickDeliveries } from '../../src/webhooks/click-outbox.ts';
import { Deliverer } from '../../src/webhooks/deliver.ts';
import { SimulatedDisk } from './disk.ts';
import type { SimulatedStore } from './store.ts';
import { SimulatedProcess, type World } from './world.ts';

const origin = 'https://links.example.com';
const site = new Site(new URL(origin));
const salt = new Uint8Array(32).fill(7);

/** How far the clocks of nodes may be ahead. */
const year = 365 * dayLength;
const clockErrors = [0, 0, 0, 0, 30_000, -30_000, hourLength, -hourLength, year, -year];

interface Running {
  readonly process: SimulatedProcess;
  readonly disk: SimulatedDisk;
  readonly recorder: ClickRecorder;
  /** Null until the node has read the store's clock. */
  deliverer: Deliverer | null;
  /** The hits that this process has answered, in order. */
  readonly answered: string[];
  isStopping: boolean;
}

/** Is notified of the hits that visitors got an answer for. */
export interface HitObserver {
  answered(hit: string): void;
  /** The hit was answered, but may be missing in the end. */
  mayBeLost(hit: string): void;
}

interface NodeSettings {
  readonly dataDir: string;
  readonly repeatWindow: number;
}

/** A node: a data folder, and the journal, fold and deliverer of the process that uses it. */
export class SimulatedNode {
  readonly #world: World;
  readonly #store: SimulatedStore;
  readonly #observer: HitObserver;
  readonly #dataDir: string;
  readonly #repeatWindow: number;
  #running: Running | null = null;
  readonly #clockError: number;
  #copies = 0;
  #hasLostPower = false;
  #thread: SimulatedProcess | null = null;
  #reportThreadEnd: () => void = () => {};

  constructor(
    world: World,
    store: SimulatedStore,
    observer: HitObserver,
    { dataDir, repeatWindow }: NodeSettings,
  ) {
    this.#world = world;
    this.#store = store;
    this.#observer = observer;
    this.#dataDir = dataDir;
    this.#repeatWindow = repeatWindow;
    mkdirSync(dataDir);
    this.#clockError = world.pick(clockErrors);
  }

  /** Whether its clock is off by a year, so that its visitors of today are those of another day. */
  get isInAnotherYear(): boolean {
    return Math.abs(this.#clockError) === year;
  }

  get isUp(): boolean {
    return this.#running !== null && !this.#running.process.isKilled;
  }

  /** Hits that are only in its memory or its journal. */
  get waiting(): number {
    return this.#running?.recorder.figures().waiting ?? 0;
  }

  /** `clockError`: how far its clock is ahead. */
  start(clockError = this.#clockError): void {
    if (this.isUp) return;
    this.#discard();
    this.#log(`starts, its clock ahead by ${clockError}`);
    const world = this.#world;
    const process = new SimulatedProcess(clockError);
    const disk = new SimulatedDisk(world, process);
    world.runAs(process, () => {
      const recorder = new ClickRecorder({
        settings: this.#settings(),
        disk,
        now: Date.now,
        afterTick: (task) => this.#tasks.push(task),
        startThread: () => this.#startThread(process),
        warn: (event, facts) => this.#log(`${event} ${JSON.stringify(facts)}`),
        fault: (event, cause) => {
          const isExpected = this.#hasLostPower ? event === 'journal damaged' : false;
          if (!isExpected && !String(cause).includes('simulated')) world.fail(`${event}: ${String(cause)}`);
        },
      });
      const running = { process, disk, recorder, deliverer: null, answered: [], isStopping: false };
      this.#running = running;
      void this.#deliver(running);
    });
  }

  async #deliver(running: Running): Promise<void> {
    const world = this.#world;
    const now = await this.#sharedClock();
    if (running.isStopping) return;
    const deliverer = new Deliverer({
      database: this.#store.database,
      now,
      allowed: [],
      openKey: () => null,
      // The store was away.
      onFault: () => {},
      pollInterval: 20_000,
      random: () => world.random(),
    });
    running.deliverer = deliverer;
    running.recorder.onFolded(() => deliverer.wake());
    deliverer.start();
  }

  /** Retries while the store is unreachable, as a program does that is restarted. */
  async #sharedClock(): Promise<() => number> {
    const { serverNow } = this.#store.foldStore();
    for (;;) {
      try {
        const opened = new AsyncDisposableStack();
        return await correctedClock({ now: Date.now, opened, overrides: {} }, async () =>
          Number(await serverNow()),
        );
      } catch (cause) {
        if (!(cause instanceof StoreUnavailable)) throw cause;
        await Bun.sleep(1_000);
      }
    }
  }

  #log(what: string): void {
    this.#world.log(`${basename(this.#dataDir)}: ${what}`);
  }

  readonly #tasks: (() => void)[] = [];

  /** Requests that come in one tick of the event loop. */
  visit(hits: readonly (readonly [string, RawHit])[]): void {
    const running = this.#running;
    if (running === null || running.process.isKilled) return;
    const { recorder, process } = running;
    const answer = (hit: string) => {
      if (process.isKilled) return;
      running.answered.push(hit);
      this.#observer.answered(hit);
    };
    this.#log(`is visited from ${hits[0]?.[0]} to ${hits.at(-1)?.[0]}`);
    this.#world.runAs(process, () => {
      const unanswered: string[] = [];
      for (const [name, hit] of hits) {
        if (recorder.keep({ ...hit, at: Date.now() })) answer(name);
        else unanswered.push(name);
      }
      for (const task of this.#tasks.splice(0)) task();
      for (const name of unanswered) answer(name);
    });
  }

  /** Like SIGKILL: files keep what was written. */
  kill(): void {
    this.#log('is killed');
    this.#running?.process.kill();
    this.#discard();
  }

  losePower(): void {
    this.#log('loses power');
    this.#hasLostPower = true;
    const running = this.#running;
    running?.process.kill();
    this.#discard((disk) => {
      const lost = disk.losePower();
      for (const hit of running?.answered ?? []) if (lost.includes(`=${hit}&`)) this.#observer.mayBeLost(hit);
    });
  }

  /** Like SIGTERM, which a process handles once. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === null || running.process.isKilled || running.isStopping) return;
    running.isStopping = true;
    const { process, recorder, deliverer } = running;
    this.#log('stops');
    await this.#world.runAs(process, async () => {
      await deliverer?.stop();
      await recorder.stop();
    });
    this.#allowLosses(running, recorder.figures().dropped);
    process.kill();
    this.#discard();
  }

  fillDisk(isFull: boolean): void {
    this.#log(isFull ? 'has a full disk' : 'has room');
    if (this.#running !== null) this.#running.disk.isFull = isFull;
  }

  setKillingWrites(probability: number): void {
    if (this.#running !== null) this.#running.disk.killingWrites = probability;
  }

  cleanUp(): void {
    if (this.isUp && this.#running !== null)
      this.#world.runAs(this.#running.process, () => this.#running?.recorder.cleanUp());
  }

  /** The fold's thread ends by itself. */
  endThread(): void {
    if (this.#thread === null || this.#thread.isKilled || !this.isUp) return;
    this.#log('loses its thread');
    this.#thread.kill();
    this.#reportThreadEnd();
  }

  /** Copies the journals, as a backup of the machine does. Returns the folder of the copy. */
  copy(): string | null {
    const from = join(this.#dataDir, 'journal');
    if (!existsSync(from)) return null;
    const to = `${this.#dataDir}-copy-${++this.#copies}`;
    this.#log(`is copied to ${basename(to)}`);
    cpSync(from, join(to, 'journal'), { recursive: true });
    return to;
  }

  /** `linnet fold DIR` of a copy. */
  async foldCopy(folder: string): Promise<void> {
    const process = new SimulatedProcess(0);
    this.#log(`folds ${basename(folder)}`);
    await this.#world.runAs(process, async () => {
      const parts = this.#foldParts();
      await foldFolder({ ...parts, settings: this.#settings(), now: Date.now, log: () => {} }, folder).catch(
        // The store was unreachable: the command is run again later.
        () => {},
      );
    });
  }

  remove(): void {
    this.kill();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  #discard(losePower: (disk: SimulatedDisk) => void = () => {}): void {
    const running = this.#running;
    if (running === null) return;
    this.#running = null;
    // Hits that waited for a full disk are lost with the process, and dropped hits were reported as dropped.
    const { held, dropped } = running.recorder.figures();
    this.#allowLosses(running, held + dropped);
    losePower(running.disk);
    running.disk.release();
  }

  /** The last `count` answered hits were never written to a file. */
  #allowLosses({ answered }: Running, count: number): void {
    for (const hit of answered.slice(answered.length - count)) if (count > 0) this.#observer.mayBeLost(hit);
  }

  #settings(): Omit<FoldSettings, 'journal'> {
    return {
      dataDir: this.#dataDir,
      saltDir: join(this.#dataDir, 'salts'),
      saltKey: '',
      // As with a database server: other nodes write, too, and it may return to an earlier state.
      databaseUrl: 'simulated',
      clickServer: null,
      origin,
      daysKept: 800,
      clock: 'server',
      keep: { milliseconds: 15 * 60_000, bytes: 64_000_000 },
      repeatWindow: this.#repeatWindow,
      floodLimit: 0,
      countryFile: null,
      webhookAddress: 'shortened',
    };
  }

  #foldParts(): FoldParts {
    const salts = new DailySalts({ settle: async () => salt, forgetBefore: async () => {} }, () => salt);
    const hosts = new Set<string>();
    return {
      store: this.#store.foldStore(),
      salts,
      hosts,
      enrich: enrichParts({ placeOf: () => unknownPlace, isOwnHost: (host) => hosts.has(host), salts }),
      deliveriesOf: (clicks, journal, now) => (links, hitIdOf) =>
        clickDeliveries(clicks(links), links, { site, addressForm: 'shortened', now, journal, hitIdOf }),
    };
  }

  /** The fold in its own thread, which receives messages some time after they are sent. */
  #startThread(parent: SimulatedProcess): Worker {
    const world = this.#world;
    const thread = new SimulatedProcess(parent.clockError, parent);
    let worker: FoldWorker | undefined;
    const handlers: { onmessage?: (event: { data: FromFold }) => void; onerror?: (event: unknown) => void } =
      {};
    const send = (data: FromFold) =>
      world.runAs(parent, () =>
        world.after(1, () => {
          if (!thread.isKilled) handlers.onmessage?.({ data });
        }),
      );
    const receive = (message: ToFold) => {
      if (message.kind !== 'start') worker?.take(message);
      else
        worker = new FoldWorker({
          ...this.#foldParts(),
          settings: message.settings,
          now: message.now,
          send,
        });
    };
    this.#thread = thread;
    this.#reportThreadEnd = () => world.runAs(parent, () => handlers.onerror?.({ message: 'simulated' }));
    return Object.assign(handlers, {
      postMessage: (message: ToFold) => world.runAs(thread, () => world.after(1, () => receive(message))),
      terminate: () => thread.kill(),
    }) as unknown as Worker;
  }
}
