import { moduleUrl } from '../../bundle/module-urls.ts';
import { StoreUnavailable, type TimeoutExceeded } from '../../rules/errors.ts';
import { FairQueue } from '../../structures/fair-queue.ts';
import { hasFreeDescriptors } from '../../threads/free-descriptors.ts';
import { internalReadTerms, type ReadTerms } from '../database.ts';
import { Deadlines, type DeadlineTask, deadlineFor } from './deadlines.ts';
import { faultOf } from './postgres-faults.ts';
import { beginWith, indexCost, limits } from './postgres-pool.ts';
import type { Primary } from './primary.ts';

/** Threads with a connection each, started when they are needed. */
const maxThreads = 2;

/** All reads of a job see the same snapshot. */
const begin = `${beginWith(limits)}; set local ${indexCost}; set transaction isolation level repeatable read, read only`;

interface Job extends DeadlineTask {
  readonly module: string;
  readonly input: unknown;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (cause: unknown) => void;
  hasBegun: boolean;
  thread: Thread | null;
  id: number;
}

interface Thread {
  readonly worker: Worker;
  job: Job | null;
}

interface Answer {
  readonly id: number;
  readonly answer?: unknown;
  readonly problem?: {
    readonly message: string;
    readonly code: string;
    /** Otherwise the job itself has failed. */
    readonly isOfStore: boolean;
    readonly isStopped: boolean;
  };
}

/** Jobs that read much from PostgreSQL. Organizations take turns, and a job is stopped when its caller no longer waits. */
export class PostgresJobs {
  readonly #primary: Primary;
  readonly #threads: Thread[] = [];
  readonly #queue = new FairQueue<Job>(maxThreads);
  readonly #deadlines = new Deadlines();
  #lastId = 0;

  constructor(primary: Primary) {
    this.#primary = primary;
  }

  run<Result>(module: string, input: unknown, terms: ReadTerms = internalReadTerms): Promise<Result> {
    const { organizationId } = terms;
    if (this.#queue.isFullFor(organizationId))
      return Promise.reject(new StoreUnavailable('too many queries are waiting'));
    return new Promise((resolve, reject) => {
      const job: Job = {
        ...{ module, input, terms, reject, until: deadlineFor(terms) },
        resolve: resolve as (answer: unknown) => void,
        ...{ hasBegun: false, thread: null, id: ++this.#lastId },
        giveUp: (cause) => this.#giveUp(job, cause),
      };
      this.#deadlines.add(job);
      this.#queue.add(organizationId, job);
      this.#dispatch();
    });
  }

  async close(): Promise<void> {
    this.#deadlines.close();
    await Promise.all(
      this.#threads.map(async ({ worker, job }) => {
        job?.reject(new StoreUnavailable('the store is closed'));
        await new Promise<void>((resolve) => {
          worker.onmessage = ({ data }) => data.closed && resolve();
          worker.onerror = () => resolve();
          worker.postMessage({ close: true });
        });
        worker.terminate();
      }),
    );
  }

  #dispatch(): void {
    for (;;) {
      const free = this.#threads.find(({ job }) => job === null);
      const isPossible = free !== undefined || (this.#threads.length < maxThreads && hasFreeDescriptors());
      // A thread that is busy takes the job later.
      if (!isPossible && this.#threads.length > 0) return;
      const turn = this.#queue.take();
      const job = turn?.items[0];
      if (job === undefined) return;
      if (!isPossible) {
        job.reject(new StoreUnavailable('no file descriptors are left'));
        this.#done(job);
        continue;
      }
      const thread = free ?? this.#start();
      thread.job = job;
      job.thread = thread;
      job.hasBegun = true;
      void this.#send(thread, job);
    }
  }

  /** Connects to the current primary. */
  async #send({ worker }: Thread, { id, module, input }: Job): Promise<void> {
    await this.#primary.found;
    worker.postMessage({ id, module, input, url: this.#primary.url, begin });
  }

  #start(): Thread {
    const thread: Thread = { worker: new Worker(moduleUrl('postgres-thread')), job: null };
    const { worker } = thread;
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.#settle(thread, data);
    worker.onerror = (event) => {
      this.#threads.splice(this.#threads.indexOf(thread), 1);
      worker.terminate();
      thread.job?.reject(new StoreUnavailable(`a thread for statistics ended: ${event.message}`));
      this.#free(thread);
    };
    this.#threads.push(thread);
    return thread;
  }

  #settle(thread: Thread, { answer, problem }: Answer): void {
    const { job } = thread;
    if (job !== null) {
      if (problem === undefined) job.resolve(answer);
      // A stopped job has been rejected already.
      else if (!problem.isStopped) {
        const { message, code, isOfStore } = problem;
        const cause = Object.assign(new Error(message), code === '' ? {} : { code });
        const fault = isOfStore ? faultOf(cause) : cause;
        if (fault instanceof StoreUnavailable) this.#primary.doubt();
        job.reject(fault);
      }
    }
    this.#free(thread);
  }

  #free(thread: Thread): void {
    const { job } = thread;
    thread.job = null;
    if (job !== null) this.#done(job);
    this.#dispatch();
  }

  #done(job: Job): void {
    this.#deadlines.delete(job);
    this.#queue.done(job.terms.organizationId);
  }

  #giveUp(job: Job, cause: TimeoutExceeded): void {
    job.reject(cause);
    this.#queue.remove(job.terms.organizationId, job);
    job.thread?.worker.postMessage({ stop: job.id });
  }
}
