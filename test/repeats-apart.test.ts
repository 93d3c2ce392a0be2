import { expect, test } from 'bun:test';
import { accountWithLinks } from './support/account.ts';
import { firefox } from './support/agents-of-people.ts';
import { type StoreKind, startApp, storeKinds, type TestApp } from './support/app.ts';
import { hitCounter } from './support/counted-hits.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres, storeFolder } from './support/migrated-store.ts';
import { type Program, runServer, stop } from './support/program.ts';
import { exchange } from './support/raw-http.ts';
import { SECRET_KEY } from './support/secret-key.ts';

/** The number of visitors, who each send the same request twice, the second time possibly to another process. */
const visitorCount = 60;
const settings = {
  PORT: '0',
  REGISTRATION: 'open',
  MISS_LIMIT: '0',
  // Long enough for both requests of a visitor, however slow the machine is.
  REPEAT_WINDOW: '60000',
};
const agentOf = (visitor: number) => `${firefox} n${visitor}`;

/** Sends a visit on a connection of its own, which the system assigns to any of the workers. */
async function visit(url: string, path: string, visitor: number): Promise<void> {
  const bytes = `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nUser-Agent: ${agentOf(visitor)}\r\n\r\n`;
  const [response] = await exchange(url, bytes, { responses: 1 });
  expect(response?.status).toBe(302);
}

/** One visit of each visitor, twenty at a time. */
async function visitAll(urls: readonly string[], path: string): Promise<void> {
  for (let first = 0; first < visitorCount; first += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => visit(urls[index % urls.length] ?? '', path, first + index)),
    );
}

async function linkAt(url: string): Promise<{ readonly id: number; readonly path: string }> {
  const { ids } = await accountWithLinks(url, ['twice']);
  return { id: ids.get('twice') ?? 0, path: '/twice' };
}

async function expectOneClickEach(dataDir: string, databaseUrl: string, linkId: number): Promise<void> {
  const counter = hitCounter(dataDir, databaseUrl);
  try {
    await eventually(
      async () => (await counter.of(linkId)).linkTotal === visitorCount * 2,
      'all hits to be folded',
    );
    const { clicks } = await counter.of(linkId);
    expect(clicks).toBe(visitorCount);
  } finally {
    await counter.close();
  }
}

const databaseFor = async (store: StoreKind): Promise<string> =>
  store === 'postgres' ? migratedPostgres() : '';

test.each(storeKinds)(
  '60 visitors who each send two requests make 60 clicks on %s with WORKERS=2',
  async (store) => {
    await using folder = await storeFolder();
    const DATABASE_URL = await databaseFor(store);
    const program = runServer({ ...settings, DATA_DIR: folder.path, DATABASE_URL, WORKERS: '2' });
    try {
      const url = await program.address();
      const { id, path } = await linkAt(url);
      await Promise.all([visitAll([url], path), visitAll([url], path)]);
      await expectOneClickEach(folder.path, DATABASE_URL, id);
      await stop(program);
    } finally {
      program.kill('SIGKILL');
    }
  },
);

test.each([
  ['sqlite', ['SIGKILL', 'SIGTERM']],
  ['postgres', ['SIGKILL']],
] as const)(
  '60 visitors make 60 clicks on a link on %s, even if the program gets a signal between their two requests, and is restarted: %p',
  async (store, signals) => {
    await using folder = await storeFolder();
    const DATABASE_URL = await databaseFor(store);
    const env = { ...settings, DATA_DIR: folder.path, DATABASE_URL };
    const programs: Program[] = [];
    const start = (): Promise<string> => {
      const program = runServer(env);
      programs.push(program);
      return program.address();
    };
    let last: TestApp | null = null;
    try {
      let url = await start();
      const { ids } = await accountWithLinks(url, ['none', ...signals]);
      await Promise.all([visitAll([url], '/none'), visitAll([url], '/none')]);
      for (const [index, signal] of signals.entries()) {
        await visitAll([url], `/${signal}`);
        programs.at(-1)?.kill(signal);
        await programs.at(-1)?.exited;
        if (index < signals.length - 1) url = await start();
        else {
          last = await startApp({ env });
          url = last.url;
        }
        await visitAll([url], `/${signal}`);
      }
      for (const id of ids.values()) await expectOneClickEach(folder.path, DATABASE_URL, id);
      expect(last?.faults).toEqual([]);
    } finally {
      for (const program of programs) program.kill('SIGKILL');
      await last?.stop();
    }
  },
);

test('60 visitors make 60 clicks on two nodes on PostgreSQL that fold at the same time', async () => {
  const DATABASE_URL = await migratedPostgres();
  const env = { ...settings, DATABASE_URL, SECRET_KEY };
  const nodes = [await startApp({ env }), await startApp({ env })];
  try {
    const [urlA, urlB] = nodes.map(({ url }) => url);
    const { id, path } = await linkAt(urlA ?? '');
    await Promise.all([visitAll([urlA ?? '', urlB ?? ''], path), visitAll([urlB ?? '', urlA ?? ''], path)]);
    for (const { app } of nodes) await app.clicks.settled();
    await expectOneClickEach('', DATABASE_URL, id);
    expect(nodes.flatMap(({ faults }) => faults)).toEqual([]);
  } finally {
    for (const node of nodes) await node.stop();
  }
});
