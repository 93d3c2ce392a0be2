/**
 * Runs jobs that read much, in a thread of its own: the server's rows are parsed and counted here. Messages: {id, module, input,
 * url, begin}, {stop: id}, {close}; answers: {id, answer} or {id, problem}, {closed}.
 */
import pg from 'pg';
import { collectWhenIdle } from '../../threads/gc-when-idle.ts';
import type { JobStore } from '../database.ts';
import { connectTimeout } from './connect-timeout.ts';
import { CopyOut } from './copy-out.ts';
import { numberTypes } from './number-types.ts';

declare const self: Worker;

interface Question {
  readonly id: number;
  readonly module: string;
  readonly input: unknown;
  readonly url: string;
  /** The statement that begins a transaction. */
  readonly begin: string;
}

type Job = (store: JobStore, input: unknown) => Promise<unknown>;

/** Milliseconds, in case the server's own timeout fails. */
const timeout = 9_000;

let server: Pick<Question, 'url' | 'begin'> = { url: '', begin: '' };
let client: pg.Client | null = null;
/** The running job; 0 for none. */
let current = 0;
let isStopped = false;
/** Errors of the store, as opposed to a job's own. */
const ofStore = new WeakSet<WeakKey>();
/** Resolves with the last statement so far. */
let lastStatement: Promise<unknown> = Promise.resolve();
/** The last job that has read something: all its reads see one snapshot. */
let begun = 0;

collectWhenIdle();

self.onmessage = ({ data }: MessageEvent) => {
  if (data.stop !== undefined) isStopped ||= data.stop === current;
  else if (data.close) void close().then(() => self.postMessage({ closed: true }));
  else void answer(data);
};

/** The sender waits for the answer before it sends the next job. */
async function answer({ id, module, input, url, begin }: Question): Promise<void> {
  [current, isStopped] = [id, false];
  // The former server may never answer again.
  if (url !== server.url) void close();
  server = { url, begin };
  try {
    const { default: job } = (await import(module)) as { readonly default: Job };
    self.postMessage({ id, answer: await job(storeFor(id), input) });
    end('commit');
  } catch (cause) {
    const { message = String(cause), code = '' } = cause as { message?: string; code?: string };
    const isOfStore = ofStore.has(cause as Error);
    self.postMessage({ id, problem: { message, code, isOfStore, isStopped } });
    end('rollback');
  }
}

/** After the job's read-ahead, and before the statements of the next job. */
function end(how: 'commit' | 'rollback'): void {
  current = 0;
  lastStatement = lastStatement.then(() => client?.query(how)).catch(() => {});
}

const storeFor = (job: number): JobStore => ({
  rowsAtOnce: null,
  rows: <Row>(sql: string, parameters: readonly (number | string)[]) =>
    asked(job, async (connection) => (await connection.query(sql, [...parameters])).rows as Row[]),
  copy: (select, take) => asked(job, (connection) => connection.query(new CopyOut(select, take)).done),
  keepGoing() {
    if (isStopped) throw new Error('stopped');
  },
});

/** Statements run on the one connection in order: a job may read ahead. */
function asked<Answer>(job: number, ask: (connection: pg.Client) => Promise<Answer>): Promise<Answer> {
  const answer = lastStatement.then(() => askIn(job, ask));
  lastStatement = answer.catch(() => {});
  return answer;
}

async function askIn<Answer>(job: number, ask: (connection: pg.Client) => Promise<Answer>): Promise<Answer> {
  // Further read-ahead would run in a transaction of its own, which nothing ends.
  if (job !== current) throw new Error('the job has ended');
  const connection = await connected();
  try {
    if (begun !== job) {
      begun = job;
      await connection.query(server.begin);
    }
    return await ask(connection);
  } catch (cause) {
    // Its state is unknown; the next job gets a new one.
    if (client === connection) client = null;
    begun = 0;
    connection.end().catch(() => {});
    ofStore.add(cause as Error);
    throw cause;
  }
}

async function connected(): Promise<pg.Client> {
  try {
    return client ?? (await connect());
  } catch (cause) {
    ofStore.add(cause as Error);
    throw cause;
  }
}

async function connect(): Promise<pg.Client> {
  const made = new pg.Client({
    connectionString: server.url,
    application_name: 'linnet statistics',
    connectionTimeoutMillis: connectTimeout(server.url),
    types: numberTypes,
    keepAlive: true,
    query_timeout: timeout,
  });
  made.on('error', () => {
    if (client === made) client = null;
  });
  await made.connect();
  client = made;
  return made;
}

async function close(): Promise<void> {
  const last = client;
  client = null;
  await last?.end().catch(() => {});
}
