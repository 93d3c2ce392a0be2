/**
 * Runs in a thread of its own, so that neither a slow search nor the wait for the disk ever delays a redirect. Messages: {open},
 * {questions: [{id, sql, parameters, inside, afterSuccess, slot, job}]}, {close}; answers: {opened}, {answers: [{id, answer} or {id,
 * problem}]}, {closed}. `states` has the progress of the question in each `slot`, or that it should be stopped.
 */
import { hasFreeDescriptors } from '../../threads/free-descriptors.ts';
import { collectWhenIdle } from '../../threads/gc-when-idle.ts';
import type { JobParameters, JobStore } from '../database.ts';
import { sentAnswer } from './answer-as-json.ts';
import { readState, stoppedCode } from './read-state.ts';
import type { JobQuestion, Question } from './sqlite-client.ts';
import { type Answer, SqliteConnection } from './sqlite-connection.ts';

declare const self: Worker;

type Job = (store: JobStore, input: unknown) => Promise<unknown>;

let connection: SqliteConnection | undefined;
/** By module. */
const jobs = new Map<string, Job>();
let states = new Int32Array(0);
/** The slot of the current question; -1 if it has none. */
let current = -1;

const isStopped = () => current >= 0 && Atomics.load(states, current) === readState.stopped;
/** Milliseconds after which answers are sent without waiting for further ones. */
const maxHeld = 2;

collectWhenIdle();

self.onmessage = (event: MessageEvent) => {
  const message = event.data;
  if (message.open) {
    try {
      states = message.open.states ?? states;
      connection = new SqliteConnection(message.open.file, message.open.mode, isStopped);
      self.postMessage({ opened: true });
    } catch (cause) {
      self.postMessage({ opened: false, problem: problemOf(cause) });
    }
  } else if (message.close) {
    connection?.close();
    self.postMessage({ closed: true });
  } else {
    const unknown = message.questions.filter(({ job }: Question) => job && !jobs.has(job.module));
    if (unknown.length === 0) void answerAll(message.questions);
    else void load(unknown).finally(() => answerAll(message.questions));
  }
};

/** The sender waits for its answers before it sends more, so nothing comes in between. */
async function load(questions: readonly Question[]): Promise<void> {
  for (const { job } of questions) {
    if (!job || jobs.has(job.module) || !hasFreeDescriptors()) continue;
    const loaded: { default?: Job } = await import(job.module).catch(() => ({}));
    if (loaded.default) jobs.set(job.module, loaded.default);
  }
}

/** Jobs await nothing external: no message comes in between. */
async function answerAll(questions: readonly Question[]): Promise<void> {
  let answers: object[] = [];
  let since = performance.now();
  let hasFailed = false;
  for (const question of questions) {
    const { id, job, afterSuccess = false, slot = -1 } = question;
    current = slot;
    try {
      if (afterSuccess && hasFailed) throw new Error('a statement before it failed');
      begin(slot);
      answers.push({ id, answer: job ? await runJob(job) : runStatement(question) });
    } catch (cause) {
      hasFailed = true;
      const problem = isStopped() ? { message: 'stopped', code: stoppedCode } : problemOf(cause);
      answers.push({ id, problem });
    }
    if (performance.now() - since < maxHeld) continue;
    self.postMessage({ answers });
    answers = [];
    since = performance.now();
  }
  if (answers.length > 0) self.postMessage({ answers });
}

/** Throws if it was stopped before. */
function begin(slot: number): void {
  const { waiting, begun } = readState;
  if (slot >= 0 && Atomics.compareExchange(states, slot, waiting, begun) !== waiting)
    throw new Error('stopped');
}

function runStatement({ sql, parameters, inside }: Question) {
  const answer = connection?.run(sql, parameters, inside);
  return answer && sentAnswer(answer);
}

async function runJob({ module, input }: JobQuestion): Promise<Answer> {
  const job = jobs.get(module);
  if (job === undefined && !hasFreeDescriptors())
    throw Object.assign(new Error('no file descriptors are left'), { code: 'EMFILE' });
  if (connection === undefined || job === undefined) throw new Error(`${module} can't be run here`);
  const rows = <Row>(sql: string, parameters: JobParameters) => connection?.rows<Row>(sql, parameters) ?? [];
  const store: JobStore = {
    rows,
    rowsSync: rows,
    copy: null,
    keepGoing() {
      if (isStopped()) throw new Error('stopped');
    },
  };
  return { rows: [await connection.inSnapshot(() => job(store, input))], changes: 0 };
}

function problemOf(cause: unknown): { message: string; code: string } {
  const error = cause as { message?: string; code?: string };
  return { message: error.message ?? String(cause), code: error.code ?? '' };
}
