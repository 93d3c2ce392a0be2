import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { startApp, type TestAccount, type TestApp } from '../support/app.ts';
import { hitCounter } from '../support/counted-hits.ts';
import { eventually, pollUntil } from '../support/eventually.ts';
import { printFigure } from '../support/figure.ts';
import { PostgresServer } from '../support/postgres.ts';
import { queryPostgres } from '../support/postgres-pair.ts';
import { scaledToLoad } from '../support/scaled-to-load.ts';
import { type SlowProxy, startSlowProxy } from '../support/slow-proxy.ts';

/** `npm run test:faults` runs all of them, each for longer. */
const isShort = process.env.ROUNDS === undefined;
const duration = isShort ? 2_500 : 10_000;
/** Milliseconds between a client's calls. */
const pause = isShort ? 60 : 5;
/** After these the link is no longer looked up. */
const visitsBefore = isShort ? 50 : 100;
/** The time within which everything must work again. */
const recovery = 5_000;

const server = new PostgresServer();
let database: string;
let proxy: SlowProxy;
let app: TestApp;
let owner: TestAccount;

beforeAll(async () => {
  database = await server.url();
  proxy = startSlowProxy(Number(new URL(database).port));
  const DATABASE_URL = database.replace(/:\d+\//, `:${proxy.port}/`);
  app = await startApp({ env: { DATABASE_URL } });
  owner = await app.createAccount();
});
afterAll(async () => {
  await app?.stop();
  await proxy?.[Symbol.asyncDispose]();
  await server.stop();
});

interface Fault {
  readonly name: string;
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
  readonly isInShort?: boolean;
}

const setReadOnly = async (value: 'on' | 'off') => {
  await queryPostgres(database, `alter system set default_transaction_read_only = ${value}`);
  await queryPostgres(database, 'select pg_reload_conf()');
};

/** Signals the server process and each of its backends. */
async function signal(name: NodeJS.Signals, pid: number): Promise<void> {
  // The postmaster first, so that it starts no more backends.
  process.kill(pid, name);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  for (const id of children.map(Number))
    try {
      process.kill(id, name);
    } catch (cause) {
      // This process has ended meanwhile.
      if ((cause as { code?: string }).code !== 'ESRCH') throw cause;
    }
}

async function serverPid(): Promise<number> {
  const [row] = await queryPostgres(database, 'show data_directory');
  return Number(readFileSync(`${row?.data_directory}/postmaster.pid`, 'utf8').split('\n')[0]);
}

let frozen = 0;
const taken: Client[] = [];
const batchSize = 50;

/** Takes all free connections. */
async function takeFreeConnections(): Promise<void> {
  for (let got = batchSize; got > 0; ) {
    const clients = Array.from({ length: batchSize }, () => new Client({ connectionString: database }));
    const tries = await Promise.allSettled(clients.map((client) => client.connect()));
    const open = clients.filter((_, index) => tries[index]?.status === 'fulfilled');
    for (const client of open) client.on('error', () => {});
    taken.push(...open);
    got = open.length;
  }
}

/** Terminates the service's connections, and takes them before it can reconnect. */
async function takeConnections(): Promise<void> {
  await takeFreeConnections();
  for (let round = 0; round < 3; round++) {
    await taken[0]?.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'linnet%'",
    );
    await takeFreeConnections();
  }
}

const slowed = (milliseconds: number): Pick<Fault, 'begin' | 'end'> => ({
  begin: async () => {
    proxy.delay = milliseconds / 2;
  },
  end: async () => {
    proxy.delay = 0;
  },
});

const faults: readonly Fault[] = [
  { name: 'stopped and started again', begin: () => server.saveFiles(), end: async () => {} },
  {
    name: 'frozen (SIGSTOP)',
    begin: async () => {
      frozen = await serverPid();
      await signal('SIGSTOP', frozen);
    },
    end: () => signal('SIGCONT', frozen),
  },
  { name: 'slowed by 200 ms', ...slowed(200) },
  { name: 'slowed by 2 s', ...slowed(2_000), isInShort: true },
  { name: 'read-only', begin: () => setReadOnly('on'), end: () => setReadOnly('off') },
  {
    name: 'out of connections',
    begin: takeConnections,
    end: () => Promise.all(taken.splice(0).map((client) => client.end())),
  },
];

let creations = 0;

test.each(faults.filter(({ isInShort }) => !isShort || isInShort === true))(
  'PostgreSQL $name: no visit to a cached link fails, nothing acknowledged is lost or doubled, and everything works again soon afterwards',
  async ({ name, begin, end }) => {
    const create = (externalId: string) =>
      app.call('POST', '/api/v1/link?disable_png=true', {
        key: owner.key,
        headers: { 'idempotency-key': externalId },
        body: { destination_url: 'https://example.com/' },
      });
    const visited = (await create(`visited ${name}`)).json;
    const path = new URL(visited.url).pathname;
    expect((await app.visit(path)).status).toBe(302);
    const responses = new Map<string, number>();
    const suffixes = new Map<string, string | null>();
    let isOver = false;
    const callRepeatedly = async (what: string, call: () => Promise<number>) => {
      while (!isOver) {
        const outcome = `${what} ${await call()}`;
        responses.set(outcome, (responses.get(outcome) ?? 0) + 1);
        // Leaves CPU for what is called.
        await Bun.sleep(pause);
      }
    };
    const createAndRecord = async () => {
      const key = `creation ${++creations}`;
      const { status, json } = await create(key);
      suffixes.set(key, status === 201 ? json.suffix : null);
      return status;
    };
    const listStatus = async () => (await app.call('GET', '/api/v1/link', { key: owner.key })).status;
    const calls = [
      callRepeatedly('visit', async () => (await app.visit(path)).status),
      callRepeatedly('visit', async () => (await app.visit(path)).status),
      callRepeatedly('creation', createAndRecord),
      callRepeatedly('creation', createAndRecord),
      callRepeatedly('list', listStatus),
    ];
    let recoveredAfter = Number.POSITIVE_INFINITY;
    try {
      // By then the change feed has brought the link's own creation, after which its next visit looks it up again.
      const hasSettled = () => suffixes.size > 5 && (responses.get('visit 302') ?? 0) > visitsBefore;
      await eventually(hasSettled, 'creations and visits');
      await begin();
      await Bun.sleep(duration);
      await end();
      const ended = performance.now();
      await eventually(
        async () => (await create(`after ${name} ${++creations}`)).status === 201,
        'a creation',
      );
      await eventually(async () => (await listStatus()) === 200, 'a list');
      recoveredAfter = performance.now() - ended;
    } finally {
      isOver = true;
      await Promise.all(calls);
    }

    const count = (outcome: string) => responses.get(outcome) ?? 0;
    const outcomes = [...responses].map(([outcome, times]) => `${outcome}: ${times}`).sort();
    printFigure(
      `PostgreSQL ${name}: ${outcomes.join(', ')}; working again after ${Math.round(recoveredAfter)} ms`,
    );
    const unexpected = outcomes.filter(
      (outcome) => !/^(visit 302|creation 201|list 200|(creation|list) 50[34]):/.test(outcome),
    );
    expect(unexpected).toEqual([]);
    expect(recoveredAfter).toBeLessThan(scaledToLoad(recovery));
    // A repeated creation that was answered gets the same answer; one that wasn't is created exactly once, whether it was committed or not.
    const repeated = new Map<string, string>();
    for (const [key, suffix] of suffixes) {
      const { json } = await pollUntil(
        () => create(key),
        ({ status }) => status === 201,
        key,
        scaledToLoad(recovery),
      );
      expect([key, json.suffix]).toEqual([key, suffix ?? json.suffix]);
      repeated.set(key, json.suffix);
    }
    expect(new Set(repeated.values()).size).toBe(repeated.size);
    const counter = hitCounter('', database);
    // Plus the very first visit.
    await eventually(
      async () => (await counter.of(visited.id)).ledger === count('visit 302') + 1,
      'all clicks',
    );
    await counter.close();
  },
  300_000,
);

test('no link was created without a request', async () => {
  const [row] = await queryPostgres(
    database,
    `select count(*)::int as links, (select count(*)::int from idempotency_keys) as keys from links`,
  );
  expect(row?.links).toBe(row?.keys);
});
