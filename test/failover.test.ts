import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { PostgresPair, queryPostgres } from './support/postgres-pair.ts';
import { scaledToLoad } from './support/scaled-to-load.ts';

let pair: PostgresPair;
let app: TestApp;
let owner: TestAccount;
/** Whether the primary of this pair was killed or frozen. */
let hasEnded = false;

async function start(): Promise<void> {
  pair = await PostgresPair.start();
  app = await startApp({ env: { DATABASE_URL: pair.url } });
  owner = await app.createAccount();
}
async function stop(): Promise<void> {
  await app?.stop();
  await pair?.[Symbol.asyncDispose]();
}
beforeAll(start);
afterAll(stop);

const createLink = (url = 'https://destination.example') =>
  app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body: { destination_url: url } });

async function linksIn(url: string): Promise<number> {
  const [row] = await queryPostgres(url, 'select count(*)::int as links from links');
  return Number(row?.links);
}

const readiness = async () => {
  const { status, json } = await app.call('GET', '/readyz');
  return [status, json.status];
};

const pathOf = (created: { json: { url: string } }): string => new URL(created.json.url).pathname;

/** Repeats calls of users and visitors, and records each answer with its time. */
function callRepeatedly(path: string) {
  const responses: { at: number; what: string; status: number }[] = [];
  let isOver = false;
  const repeat = async (what: string, call: () => Promise<{ status: number }>) => {
    while (!isOver) {
      const { status } = await call();
      responses.push({ at: performance.now(), what, status });
      // Leaves CPU for what is called.
      await Bun.sleep(100);
    }
  };
  const running = [
    repeat('creation', () => createLink()),
    repeat('list', () => app.call('GET', '/api/v1/link', { key: owner.key })),
    repeat('visit', () => app.visit(path)),
    repeat('miss', () => app.visit(`/not-there-${responses.length}`)),
  ];
  return {
    responses,
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}

// Runs first: the pair is intact afterwards.
test('a server that became read-only refuses changes, and visitors still find their links', async () => {
  const visited = pathOf(await createLink());
  const unvisited = pathOf(await createLink('https://unseen.example'));
  await app.visit(visited);
  const readOnly = (value: 'on' | 'off') =>
    queryPostgres(pair.primary.url, `alter system set default_transaction_read_only = ${value}`).then(() =>
      queryPostgres(pair.primary.url, 'select pg_reload_conf()'),
    );
  await readOnly('on');
  await eventually(async () => (await readiness())[0] === 503, 'the setting to be seen');
  expect(await readiness()).toEqual([503, 'database read-only']);
  const refused = await createLink();
  expect([refused.status, refused.json.error_code, refused.headers.get('retry-after')]).toEqual([
    503,
    'STORE_AWAY',
    '5',
  ]);
  expect((await app.visit(visited)).status).toBe(302);
  expect((await app.visit(unvisited)).status).toBe(302);
  await readOnly('off');
  await pollUntil(
    createLink,
    ({ status }) => status === 201,
    'changes to be made again',
    scaledToLoad(5_000),
  );
  await pollUntil(readiness, ([status]) => status === 200, 'the app to be ready again', scaledToLoad(5_000));
  expect(app.faults).toEqual([]);
});

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  'after %s of the primary the promoted standby is found within five seconds, and nothing fails from then on',
  async (signal) => {
    if (hasEnded) {
      await stop();
      await start();
    }
    hasEnded = true;
    const before = await linksIn(pair.primary.url);
    const path = pathOf(await createLink());
    await app.visit(path);
    expect(await readiness()).toEqual([200, 'ready']);
    await pair.waitForStandby();
    const calls = callRepeatedly(path);
    const { responses } = calls;
    await eventually(() => responses.length > 20, 'answers');
    pair.signalPrimary(signal);
    await pair.promote();
    const promoted = performance.now();
    const isExpected = ({ what, status }: { what: string; status: number }) =>
      status === { creation: 201, list: 200, visit: 302, miss: 404 }[what];
    await eventually(async () => (await createLink()).status === 201, 'the new primary');
    // Long enough to show that no more calls fail.
    await Bun.sleep(1_000);
    await calls.stop();
    const failed = responses.filter((response) => !isExpected(response));
    const lastFailure = Math.max(...failed.map(({ at }) => at - promoted));
    expect(lastFailure).toBeLessThan(scaledToLoad(5_000));
    // A cached link needs no database.
    expect(responses.filter(({ what, status }) => what === 'visit' && status !== 302)).toEqual([]);
    // A frozen server may still carry out what it was sent.
    const isAllowed = ({ what, status }: { what: string; status: number }) =>
      status === 503 || (status === 504 && what === 'creation' && signal === 'SIGSTOP');
    expect(failed.filter((response) => !isAllowed(response))).toEqual([]);
    expect(await readiness()).toEqual([200, 'ready']);
    expect(app.faults).toEqual([]);
    const createdCount = responses.filter(({ what, status }) => what === 'creation' && status === 201).length;
    expect((await linksIn(pair.standby.url)) - before).toBeGreaterThanOrEqual(createdCount);
  },
);
