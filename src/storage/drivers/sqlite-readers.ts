import { availableParallelism } from 'node:os';
import { StoreAway, type TookTooLong } from '../../rules/errors.ts';
import { ownTerms, type ReadTerms } from '../database.ts';
import { type Awaited, Deadlines, untilWhen } from './deadlines.ts';
import { FairQueue } from './fair-queue.ts';
import { isStopped, readState } from './read-state.ts';
import type { SqliteThread } from './sqlite-client.ts';
import type { Answer } from './sqlite-connection.ts';

/** So many threads read whatever comes. One organization may have all of them at a time. */
const generalReaders = Math.min(Math.max(availableParallelism() - 1, 2), 4);
/** And one more, for organizations without a statement in any other. */
const quickReaders = 1;
/** Milliseconds that a statement may block that one while others wait for it: then it starts again in another. */
const maxQuick = 300;
/** Milliseconds after which what shares a message with a slow statement goes elsewhere. */
const maxHeldUp = 40;

/** Of one organization and of all: further reads are refused. */
const maxWaiting = { ofOne: 1_000, ofAll: 5_000 };
/** A message to a thread costs more than what most statements ask, so they share one where many wait. */
const maxShared = 16;
/** Fewer than these go one by one, so that none is behind a slow one for the time that it takes to notice. */
const fewWaiting = 5;

/** One statement that is read. */
interface Read extends Awaited {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (cause: unknown) => void;
  lane: Lane | null;
  isSlow: boolean;
}

interface Lane {
  readonly thread: SqliteThread;
  readonly isQuick: boolean;
  /** How far each statement of the message is that the thread has got; null where it went elsewhere. */
  readonly states: Int32Array;
  reads: (Read | null)[];
  sentAt: number;
}

const key = ({ terms }: Read): number => terms.organizationId;
const accepts = ({ isSlow }: Read): boolean => !isSlow;
const newcomers = { newcomersOnly: true, accepts };

/**
 * Several threads that read, shared between organizations: however much one asks, the next statement of another waits for
 * none of it. What takes too long is stopped, and what nobody waits for any more isn't begun.
 */
export class SqliteReaders {
  readonly #lanes: readonly Lane[];
  readonly #queue = new FairQueue<Read>(generalReaders);
  readonly #deadlines = new Deadlines((now) => this.#unblock(now));
  #isDue = false;

  private constructor(lanes: readonly Lane[]) {
    this.#lanes = lanes;
  }

  static async open(start: (states: Int32Array) => Promise<SqliteThread>): Promise<SqliteReaders> {
    const lanes = Array.from({ length: generalReaders + quickReaders }, async (_, index): Promise<Lane> => {
      const states = new Int32Array(new SharedArrayBuffer(maxShared * Int32Array.BYTES_PER_ELEMENT));
      // The last ones are the last to be asked.
      return { thread: await start(states), isQuick: index >= generalReaders, states, reads: [], sentAt: 0 };
    });
    return new SqliteReaders(await Promise.all(lanes));
  }

  run(sql: string, parameters: readonly unknown[], terms: ReadTerms = ownTerms): Promise<Answer> {
    const { organizationId } = terms;
    if (this.#queue.size >= maxWaiting.ofAll || this.#queue.sizeOf(organizationId) >= maxWaiting.ofOne)
      return Promise.reject(new StoreAway('too many queries are waiting'));
    return new Promise<Answer>((resolve, reject) => {
      const read = this.#readOf({ sql, parameters, terms, resolve, reject });
      this.#deadlines.add(read);
      this.#queue.add(organizationId, read);
      this.#dispatchSoon();
    });
  }

  async close(): Promise<void> {
    this.#deadlines.close();
    for (const { thread } of this.#lanes) await thread.close();
  }

  #readOf(asked: Pick<Read, 'sql' | 'parameters' | 'terms' | 'resolve' | 'reject'>): Read {
    const queue = this.#queue;
    return {
      ...asked,
      until: untilWhen(asked.terms),
      lane: null,
      isSlow: false,
      get hasBegun() {
        return this.isSlow || stateOf(this) === readState.begun;
      },
      giveUp(cause: TookTooLong) {
        if (this.lane) {
          const slot = this.lane.reads.indexOf(this);
          Atomics.store(this.lane.states, slot, readState.stopped);
          this.lane.reads[slot] = null;
        } else queue.remove(key(this), this);
        this.reject(cause);
      },
    };
  }

  /** What is asked for in the same breath is looked at together. */
  #dispatchSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => this.#dispatch());
  }

  #dispatch(): void {
    this.#isDue = false;
    for (const lane of this.#lanes) {
      if (lane.sentAt > 0) continue;
      const turn = this.#queue.take({
        ...(lane.isQuick ? newcomers : {}),
        count: (waiting) =>
          waiting < fewWaiting ? 1 : Math.min(maxShared, Math.ceil(waiting / generalReaders)),
      });
      if (turn) void this.#send(lane, turn.key, turn.items);
    }
  }

  async #send(lane: Lane, of: number, reads: readonly Read[]): Promise<void> {
    lane.sentAt = performance.now();
    lane.reads = [...reads];
    lane.states.fill(readState.waiting);
    await Promise.all(
      reads.map(async (read, slot) => {
        read.lane = lane;
        try {
          const answer = await lane.thread.read(read.sql, read.parameters, slot);
          if (lane.reads[slot] === read) this.#settle(read, () => read.resolve(answer));
        } catch (cause) {
          if (lane.reads[slot] !== read) return;
          if (isStopped(cause)) this.#sendElsewhere(lane, slot, read);
          else this.#settle(read, () => read.reject(cause));
        }
      }),
    );
    lane.reads = [];
    lane.sentAt = 0;
    this.#queue.done(of);
    this.#dispatchSoon();
  }

  #settle(read: Read, settle: () => void): void {
    this.#deadlines.delete(read);
    settle();
  }

  #sendElsewhere(lane: Lane, slot: number, read: Read): void {
    lane.reads[slot] = null;
    read.lane = null;
    this.#queue.putBack(key(read), read);
    this.#dispatchSoon();
  }

  /** Others are let past what is slow. */
  #unblock(now: number): void {
    for (const lane of this.#lanes) {
      if (lane.sentAt === 0) continue;
      const time = now - lane.sentAt;
      if (time > maxHeldUp) this.#takeBackWaiting(lane);
      if (lane.isQuick && time > maxQuick && this.#queue.has(newcomers)) stopToMove(lane);
    }
  }

  #takeBackWaiting(lane: Lane): void {
    const { waiting, stopped } = readState;
    for (const [slot, read] of [...lane.reads.entries()].reverse()) {
      if (read && Atomics.compareExchange(lane.states, slot, waiting, stopped) === waiting)
        this.#sendElsewhere(lane, slot, read);
    }
  }
}

/** The thread says that it has stopped: then it goes to the queue again, for the other threads. */
function stopToMove({ reads, states }: Lane): void {
  for (const [slot, read] of reads.entries()) {
    const wasRunning =
      Atomics.compareExchange(states, slot, readState.begun, readState.stopped) === readState.begun;
    if (read && wasRunning) read.isSlow = true;
  }
}

function stateOf(read: Read): number {
  const slot = read.lane?.reads.indexOf(read) ?? -1;
  return slot < 0 ? readState.waiting : Atomics.load(read.lane?.states as Int32Array, slot);
}
