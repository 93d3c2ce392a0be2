import { availableParallelism } from 'node:os';
import { StoreUnavailable, type TimeoutExceeded } from '../../rules/errors.ts';
import { FairQueue } from '../../structures/fair-queue.ts';
import { internalReadTerms, type ReadTerms } from '../database.ts';
import { Deadlines, type DeadlineTask, deadlineFor } from './deadlines.ts';
import { isStopped, readState } from './read-state.ts';
import type { JobQuestion, SqliteThread } from './sqlite-client.ts';
import type { Answer } from './sqlite-connection.ts';

/** Threads for any statement. One organization may occupy all of them at a time. */
const generalReaders = Math.min(Math.max(availableParallelism() - 1, 2), 4);
/** Further threads, for organizations without a statement in any other. */
const quickReaders = 1;
/** Milliseconds that a statement may occupy such a thread while others wait for it: then it is restarted in another. */
const maxQuick = 300;
/** Milliseconds after which statements that share a message with a slow one are sent to another thread. */
const maxHeldUp = 40;

/** A message to a thread costs more than most statements, so they share one if many wait. */
const maxShared = 16;
/** Fewer than these are sent one by one, so that none waits behind a slow one until that is noticed. */
const fewWaiting = 5;

interface Read extends DeadlineTask {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly job: JobQuestion | undefined;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (cause: unknown) => void;
  reader: Reader | null;
  isSlow: boolean;
}

interface Reader {
  readonly thread: SqliteThread;
  readonly isQuick: boolean;
  /** The progress of each statement of its message (`read-state.ts`). */
  readonly states: Int32Array;
  /** Null if a statement was moved to another thread. */
  reads: (Read | null)[];
  sentAt: number;
}

const key = ({ terms }: Read): number => terms.organizationId;
const accepts = ({ isSlow }: Read): boolean => !isSlow;
const newKeys = { newKeysOnly: true, accepts };

/**
 * Several reading threads, shared fairly between organizations: however much one reads, the next statement of another doesn't
 * wait for it. A statement that takes too long is stopped, and one whose caller no longer waits is never started.
 */
export class SqliteReaders {
  readonly #readers: readonly Reader[];
  readonly #queue = new FairQueue<Read>(generalReaders);
  readonly #deadlines = new Deadlines((now) => this.#unblock(now));
  #isDue = false;

  private constructor(readers: readonly Reader[]) {
    this.#readers = readers;
  }

  static async open(start: (states: Int32Array) => Promise<SqliteThread>): Promise<SqliteReaders> {
    const readers = Array.from(
      { length: generalReaders + quickReaders },
      async (_, index): Promise<Reader> => {
        const states = new Int32Array(new SharedArrayBuffer(maxShared * Int32Array.BYTES_PER_ELEMENT));
        // Statements go to the first free thread, so the quick ones are last.
        return {
          thread: await start(states),
          isQuick: index >= generalReaders,
          states,
          reads: [],
          sentAt: 0,
        };
      },
    );
    return new SqliteReaders(await Promise.all(readers));
  }

  run(sql: string, parameters: readonly unknown[], terms: ReadTerms = internalReadTerms): Promise<Answer> {
    return this.#add({ sql, parameters, job: undefined, terms });
  }

  /** A job is shared, stopped and moved like a statement. */
  async compute<Result>(
    module: string,
    input: unknown,
    terms: ReadTerms = internalReadTerms,
  ): Promise<Result> {
    const { rows } = await this.#add({ sql: '', parameters: [], job: { module, input }, terms });
    return rows[0] as Result;
  }

  #add(request: Pick<Read, 'sql' | 'parameters' | 'job' | 'terms'>): Promise<Answer> {
    const { organizationId } = request.terms;
    if (this.#queue.isFullFor(organizationId))
      return Promise.reject(new StoreUnavailable('too many queries are waiting'));
    return new Promise<Answer>((resolve, reject) => {
      const read = this.#readOf({ ...request, resolve, reject });
      this.#deadlines.add(read);
      this.#queue.add(organizationId, read);
      this.#dispatchSoon();
    });
  }

  async close(): Promise<void> {
    this.#deadlines.close();
    for (const { thread } of this.#readers) await thread.close();
  }

  #readOf(request: Pick<Read, 'sql' | 'parameters' | 'job' | 'terms' | 'resolve' | 'reject'>): Read {
    const queue = this.#queue;
    return {
      ...request,
      until: deadlineFor(request.terms),
      reader: null,
      isSlow: false,
      get hasBegun() {
        return this.isSlow || stateOf(this) === readState.begun;
      },
      giveUp(cause: TimeoutExceeded) {
        if (this.reader) {
          const slot = this.reader.reads.indexOf(this);
          Atomics.store(this.reader.states, slot, readState.stopped);
          this.reader.reads[slot] = null;
        } else queue.remove(key(this), this);
        this.reject(cause);
      },
    };
  }

  /** Statements of one tick of the event loop are dispatched together. */
  #dispatchSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => this.#dispatch());
  }

  #dispatch(): void {
    this.#isDue = false;
    for (const reader of this.#readers) {
      if (reader.sentAt > 0) continue;
      const turn = this.#queue.take({
        ...(reader.isQuick ? newKeys : {}),
        count: (waiting) =>
          waiting < fewWaiting ? 1 : Math.min(maxShared, Math.ceil(waiting / generalReaders)),
      });
      if (turn) void this.#send(reader, turn.key, turn.items);
    }
  }

  async #send(reader: Reader, organizationId: number, reads: readonly Read[]): Promise<void> {
    reader.sentAt = performance.now();
    reader.reads = [...reads];
    reader.states.fill(readState.waiting);
    await Promise.all(
      reads.map(async (read, slot) => {
        read.reader = reader;
        try {
          const answer = await reader.thread.read(read, slot);
          if (reader.reads[slot] === read) this.#settle(read, () => read.resolve(answer));
        } catch (cause) {
          if (reader.reads[slot] !== read) return;
          if (isStopped(cause)) this.#requeue(reader, slot, read);
          else this.#settle(read, () => read.reject(cause));
        }
      }),
    );
    reader.reads = [];
    reader.sentAt = 0;
    this.#queue.done(organizationId);
    this.#dispatchSoon();
  }

  #settle(read: Read, settle: () => void): void {
    this.#deadlines.delete(read);
    settle();
  }

  #requeue(reader: Reader, slot: number, read: Read): void {
    reader.reads[slot] = null;
    read.reader = null;
    this.#queue.putBack(key(read), read);
    this.#dispatchSoon();
  }

  /** Moves other statements out of the way of a slow one. */
  #unblock(now: number): void {
    for (const reader of this.#readers) {
      if (reader.sentAt === 0) continue;
      const time = now - reader.sentAt;
      if (time > maxHeldUp) this.#takeBackWaiting(reader);
      if (reader.isQuick && time > maxQuick && this.#queue.has(newKeys)) stopToMove(reader);
    }
  }

  #takeBackWaiting(reader: Reader): void {
    const { waiting, stopped } = readState;
    for (const [slot, read] of [...reader.reads.entries()].reverse()) {
      if (read && Atomics.compareExchange(reader.states, slot, waiting, stopped) === waiting)
        this.#requeue(reader, slot, read);
    }
  }
}

/** Once the thread has stopped it, the statement returns to the queue, for the other threads. */
function stopToMove({ reads, states }: Reader): void {
  for (const [slot, read] of reads.entries()) {
    const wasRunning =
      Atomics.compareExchange(states, slot, readState.begun, readState.stopped) === readState.begun;
    if (read && wasRunning) read.isSlow = true;
  }
}

function stateOf(read: Read): number {
  const slot = read.reader?.reads.indexOf(read) ?? -1;
  return slot < 0 ? readState.waiting : Atomics.load(read.reader?.states as Int32Array, slot);
}
