/**
 * Runs jobs that read much, in a thread of its own: the server's rows are parsed and counted here. Messages: {id, module, input,
 * url, begin}, {stop: id}, {close}; answers: {id, answer} or {id, problem}, {closed}.
 */
import pg from 'pg';
import { hasFreeDescriptors } from '../../threads/free-descriptors.ts';
import { collectWhenIdle } from '../../threads/gc-when-idle.ts';
import type { JobStore } from '../database.ts';
import { connectTimeout } from './connect-timeout.ts';
import { CopyOut } from './copy-out.ts';
import { numberTypes } from './number-types.ts';

declare const self: Worker;

interface JobRequest {
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

let server: Pick<JobRequest, 'url' | 'begin'> = { url: '', begin: '' };
let client: pg.Client | null = null;
/** By module. */
const jobs = new Map<string, Job>();
/** The running job; 0 for none. */
let current = 0;
let isStopped = false;
/** Errors of the store, as opposed to a job's own. */
const storeErrors = new WeakSet<WeakKey>();
/** Resolves with the last statement so far. */
let lastStatement: Promise<unknown> = Promise.resolve();
/** The last transaction that was begun: all reads of a job see one snapshot. */
let transaction: { readonly job: number; readonly connection: pg.Client } | null = null;

collectWhenIdle();

self.onmessage = ({ data }: MessageEvent) => {
  if (data.stop !== undefined) isStopped ||= data.stop === current;
  else if (data.close) void close().then(() => self.postMessage({ closed: true }));
  else void answer(data);
};

/** The sender waits for the answer before it sends the next job. */
async function answer({ id, module, input, url, begin }: JobRequest): Promise<void> {
  [current, isStopped] = [id, false];
  // The former server may never answer again.
  if (url !== server.url) void close();
  server = { url, begin };
  try {
    const job = await jobIn(module);
    self.postMessage({ id, answer: await job(storeFor(id), input) });
    end('commit');
  } catch (cause) {
    const { message = String(cause), code = '' } = cause as { message?: string; code?: string };
    const isOfStore = storeErrors.has(cause as Error);
    self.postMessage({ id, problem: { message, code, isOfStore, isStopped } });
    end('rollback');
  }
}

/** A module that can't be opened for lack of a descriptor is reported as missing. */
async function jobIn(module: string): Promise<Job> {
  const known = jobs.get(module);
  if (known !== undefined) return known;
  if (!hasFreeDescriptors()) {
    const cause = new Error('no file descriptors are left');
    storeErrors.add(cause);
    throw cause;
  }
  const { default: job } = (await import(module)) as { readonly default: Job };
  jobs.set(module, job);
  return job;
}

/** After the job's read-ahead, and before the statements of the next job. */
function end(how: 'commit' | 'rollback'): void {
  current = 0;
  lastStatement = lastStatement.then(() => client?.query(how)).catch(() => {});
}

const storeFor = (job: number): JobStore => ({
  rowsSync: null,
  rows: <Row>(sql: string, parameters: readonly (number | string)[]) =>
    enqueue(job, async (connection) => (await connection.query(sql, [...parameters])).rows as Row[]),
  copy: (select, take) => enqueue(job, (connection) => connection.query(new CopyOut(select, take)).done),
  keepGoing() {
    if (isStopped) throw new Error('stopped');
  },
});

/** Statements run on the one connection in order: a job may read ahead. */
function enqueue<Answer>(job: number, run: (connection: pg.Client) => Promise<Answer>): Promise<Answer> {
  const answer = lastStatement.then(() => runIn(job, run));
  lastStatement = answer.catch(() => {});
  return answer;
}

async function runIn<Answer>(job: number, run: (connection: pg.Client) => Promise<Answer>): Promise<Answer> {
  // Further read-ahead would run in a transaction of its own, which nothing ends.
  if (job !== current) throw new Error('the job has ended');
  let connection: pg.Client | null = null;
  try {
    connection = await connectionFor(job);
    if (transaction?.job !== job) {
      transaction = { job, connection };
      await connection.query(server.begin);
    }
    return await run(connection);
  } catch (cause) {
    // Its state is unknown; the next job gets a new one.
    if (client === connection) client = null;
    connection?.end().catch(() => {});
    storeErrors.add(cause as Error);
    throw cause;
  }
}

async function connectionFor(job: number): Promise<pg.Client> {
  if (transaction?.job === job && transaction.connection !== client)
    throw new Error('the connection of the transaction broke');
  return client ?? connect();
}

async function connect(): Promise<pg.Client> {
  const created = new pg.Client({
    connectionString: server.url,
    application_name: 'linnet statistics',
    connectionTimeoutMillis: connectTimeout(server.url),
    types: numberTypes,
    keepAlive: true,
    query_timeout: timeout,
  });
  created.on('error', () => {
    if (client === created) client = null;
  });
  await created.connect();
  client = created;
  return created;
}

async function close(): Promise<void> {
  const last = client;
  client = null;
  await last?.end().catch(() => {});
}
