import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { answerWhen, eventually } from './support/eventually.ts';
import { ask, PostgresPair } from './support/postgres-pair.ts';
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

const make = (url = 'https://destination.example') =>
  app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body: { destination_url: url } });

async function linksIn(url: string): Promise<number> {
  const [row] = await ask(url, 'select count(*)::int as links from links');
  return Number(row?.links);
}

const ready = async () => {
  const { status, json } = await app.call('GET', '/readyz');
  return [status, json.status];
};

const pathOf = (made: { json: { url: string } }): string => new URL(made.json.url).pathname;

/** Repeats calls of users and visitors, and records each answer with its time. */
function press(path: string) {
  const answers: { at: number; what: string; status: number }[] = [];
  let isOver = false;
  const during = async (what: string, call: () => Promise<{ status: number }>) => {
    while (!isOver) {
      const { status } = await call();
      answers.push({ at: performance.now(), what, status });
      await Bun.sleep(50);
    }
  };
  const running = [
    during('creation', () => make()),
    during('list', () => app.call('GET', '/api/v1/link', { key: owner.key })),
    during('visit', () => app.visit(path)),
    during('miss', () => app.visit(`/not-there-${answers.length}`)),
  ];
  return {
    answers,
    async stop() {
      isOver = true;
      await Promise.all(running);
    },
  };
}

// Runs first: the pair is whole afterwards.
test('a server that became read-only refuses changes, and visitors still find their links', async () => {
  const seen = pathOf(await make());
  const unseen = pathOf(await make('https://unseen.example'));
  await app.visit(seen);
  const readOnly = (is: 'on' | 'off') =>
    ask(pair.primary.url, `alter system set default_transaction_read_only = ${is}`).then(() =>
      ask(pair.primary.url, 'select pg_reload_conf()'),
    );
  await readOnly('on');
  await eventually(async () => (await ready())[0] === 503, 'the setting to be seen');
  expect(await ready()).toEqual([503, 'database read-only']);
  const refused = await make();
  expect([refused.status, refused.json.error_code, refused.headers.get('retry-after')]).toEqual([
    503,
    'STORE_AWAY',
    '5',
  ]);
  expect((await app.visit(seen)).status).toBe(302);
  expect((await app.visit(unseen)).status).toBe(302);
  await readOnly('off');
  await answerWhen(make, ({ status }) => status === 201, 'changes to be made again', scaledToLoad(5_000));
  await answerWhen(ready, ([status]) => status === 200, 'it to be ready again', scaledToLoad(5_000));
  expect(app.faults).toEqual([]);
});

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  'after a primary that got %s, a promoted standby is found within five seconds: nothing fails from then on',
  async (signal) => {
    if (hasEnded) {
      await stop();
      await start();
    }
    hasEnded = true;
    const before = await linksIn(pair.primary.url);
    const path = pathOf(await make());
    await app.visit(path);
    expect(await ready()).toEqual([200, 'ready']);
    await pair.caughtUp();
    const pressing = press(path);
    const { answers } = pressing;
    await eventually(() => answers.length > 40, 'answers');
    pair.end(signal);
    await pair.promote();
    const promoted = performance.now();
    const isWell = ({ what, status }: { what: string; status: number }) =>
      status === { creation: 201, list: 200, visit: 302, miss: 404 }[what];
    await eventually(async () => (await make()).status === 201, 'the new primary');
    await Bun.sleep(1_000);
    await pressing.stop();
    const failed = answers.filter((answer) => !isWell(answer));
    const last = Math.max(...failed.map(({ at }) => at - promoted));
    expect(last).toBeLessThan(scaledToLoad(5_000));
    // A cached link needs no database.
    expect(answers.filter(({ what, status }) => what === 'visit' && status !== 302)).toEqual([]);
    // A frozen server may still carry out what it was sent.
    const isForeseen = ({ what, status }: { what: string; status: number }) =>
      status === 503 || (status === 504 && what === 'creation' && signal === 'SIGSTOP');
    expect(failed.filter((answer) => !isForeseen(answer))).toEqual([]);
    expect(await ready()).toEqual([200, 'ready']);
    expect(app.faults).toEqual([]);
    const made = answers.filter(({ what, status }) => what === 'creation' && status === 201).length;
    expect((await linksIn(pair.standby.url)) - before).toBeGreaterThanOrEqual(made);
  },
);
