import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, createApp } from '../src/app.ts';
import { startVisitorThread } from '../src/compose/visitor-thread-client.ts';
import { loadConfig } from '../src/config/load.ts';
import { StartProblem } from '../src/start-problem.ts';
import { onOneStore, storeKinds } from './support/app.ts';
import { pollUntil } from './support/eventually.ts';
import { migratedPostgres, storeFolder } from './support/migrated-store.ts';
import { exitCodeOf, problemsOf, runServerWithPreload } from './support/program.ts';

const destination = 'https://destination.example/';
const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** As in `main.ts`: plain visits are answered in a worker thread. */
const start = (settings: Record<string, string>): Promise<App> => {
  const environment = { PORT: '0', REGISTRATION: 'open', MISS_LIMIT: '0', ...settings };
  return createApp(loadConfig(environment), { notFoundInterval: 100 }, startVisitorThread(environment));
};

const isMistyped = ({ suffix }: { suffix: string }) => suffix === 'sumer';

describe.each(storeKinds)('with a separate thread for visitors, on %s,', (store) => {
  let folder: Awaited<ReturnType<typeof storeFolder>>;
  let app: App;
  let key: string;

  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const requestBody = body === undefined ? {} : { body: JSON.stringify(body) };
    const common = { 'content-type': 'application/json', ...(key ? { 'api-key': key } : {}), ...headers };
    const response = await fetch(`${app.listening}/api/v1${path}`, {
      method,
      headers: common,
      ...requestBody,
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? null : JSON.parse(text) };
  };
  const visit = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(app.listening + path, {
      redirect: 'manual',
      ...init,
      headers: { 'user-agent': browser, ...init.headers },
    });
    return `${response.status} ${response.headers.get('location') ?? ''}`.trim();
  };
  const clicksOf = async (id: number): Promise<number> => {
    await app.clicks.settled();
    return (await call('GET', `/link/${id}`)).json.clicks;
  };

  beforeAll(async () => {
    folder = await storeFolder();
    app = await start({
      DATA_DIR: folder.path,
      DATABASE_URL: store === 'postgres' ? await migratedPostgres() : '',
    });
    key = '';
    const credentials = { email: 'one@example.com', password: 'correct horse battery' };
    await call('POST', '/user', credentials);
    const { access_token } = (await call('POST', '/auth/create_tokens', credentials)).json;
    const bearer = { authorization: `Bearer ${access_token}` };
    key = (await call('POST', '/api_key', { name: 'tests' }, bearer)).json.key;
  });
  afterAll(async () => {
    await app.stop();
    await folder[Symbol.asyncDispose]();
  });

  // Runs first, as the other tests request more addresses than a visitor does.
  test('requests for unknown addresses are counted in either thread', async () => {
    for (const init of [{}, { headers: { 'x-detour': '\xe9' } }])
      expect(await visit('/sumer', init)).toBe('404');
    const found = await pollUntil(
      async () => (await call('GET', '/not_found')).json.addresses.filter(isMistyped),
      ([address]) => address?.visits === 2,
      'both visits',
    );
    expect(found).toHaveLength(1);
  });

  test('a client that has changed a link sees the change in its next visit', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const path = `/turn-${turn}`;
      expect(await visit(path)).toBe('404');
      const created = await call('POST', '/link', { destination_url: destination, suffix: path.slice(1) });
      expect(await visit(path)).toBe(`302 ${destination}`);
      await call('PATCH', `/link/${created.json.id}`, { destination_url: `${destination}${turn}` });
      expect(await visit(path)).toBe(`302 ${destination}${turn}`);
      await call('POST', '/link/bulk_delete', { ids: [created.json.id] });
      expect(await visit(path)).toBe('404');
      await call('POST', '/link/restore', { ids: [created.json.id] });
      expect(await visit(path)).toBe(`302 ${destination}${turn}`);
    }
  });

  test('a thousand links created in one call are found by visitors who got a 404 before', async () => {
    expect(await visit('/many-7')).toBe('404');
    const links = Array.from({ length: 1_000 }, (_, index) => ({
      destination_url: destination,
      suffix: `many-${index}`,
    }));
    await call('POST', '/link/bulk?disable_png=true', { links });
    expect([await visit('/many-7'), await visit('/many-999')]).toEqual(Array(2).fill(`302 ${destination}`));
  });

  test('visits are counted whichever thread answers them', async () => {
    const plain = (await call('POST', '/link', { destination_url: destination, suffix: 'plain' })).json;
    const guarded = (
      await call('POST', '/link', {
        destination_url: destination,
        suffix: 'guarded',
        password: 'open sesame',
      })
    ).json;
    expect(await visit('/plain')).toBe(`302 ${destination}`);
    expect(await visit('/guarded')).toBe('200');
    const form = { method: 'POST', body: new URLSearchParams({ password: 'open sesame' }) };
    expect(await visit('/guarded', form)).toBe(`302 ${destination}`);
    expect([await clicksOf(plain.id), await clicksOf(guarded.id)]).toEqual([1, 1]);
  });

  onOneStore(store, () => {
    test("a visit is answered while the API's thread is busy", async () => {
      await call('POST', '/link', { destination_url: destination, suffix: 'meanwhile' });
      expect(await visit('/meanwhile')).toBe(`302 ${destination}`);
      const file = join(folder.path, `seen-${store}`);
      const script = `
        const answer = await fetch('${app.listening}/meanwhile', { redirect: 'manual' });
        await Bun.write('${file}', String(answer.status));
      `;
      const visitor = Bun.spawn([process.execPath, '-e', script], { stdout: 'inherit', stderr: 'inherit' });
      // Nothing else runs in this thread until the visitor has written the answer's status.
      const deadline = performance.now() + 15_000;
      while (!existsSync(file) && performance.now() < deadline) Bun.sleepSync(5);
      await visitor.exited;
      expect(performance.now()).toBeLessThan(deadline);
      expect(readFileSync(file, 'utf8')).toBe('302');
    });

    test('the thread reports a port in use with the same message as the program', async () => {
      await using other = await storeFolder();
      const { port } = new URL(app.listening);
      const second = await start({ DATA_DIR: other.path, PORT: port }).catch((cause) => cause);
      expect(second).toBeInstanceOf(StartProblem);
      expect(second.message).toStartWith(`Port ${port} on `);
    });
  });
});

test('requests for unknown links are counted over both threads', async () => {
  await using folder = await storeFolder();
  const app = await start({ DATA_DIR: folder.path, MISS_LIMIT: '4' });
  const statusOf = async (path: string) => (await fetch(app.listening + path, { redirect: 'manual' })).status;
  const minute = () => Math.floor(Date.now() / 60_000);
  // The limit is per minute, so all of these visits must lie within one.
  for (let startMinute = -1; startMinute !== minute(); ) {
    startMinute = minute();
    const statuses: number[] = [];
    for (let turn = 0; turn < 8; turn++) {
      statuses.push(
        await statusOf(`/plain-${startMinute}-${turn}`),
        await statusOf(`/%zz-${startMinute}-${turn}`),
      );
    }
    if (startMinute !== minute()) continue;
    // If they counted separately, each thread would let four through.
    expect(statuses.filter((status) => status === 404).length).toBeLessThanOrEqual(4);
    expect(new Set(statuses.slice(-2))).toEqual(new Set([429]));
  }
  await app.stop();
});

describe.each([
  [
    'visitor-thread',
    'visitors no longer answered',
    ['a promise that was not awaited', 'leaving without a word'],
  ],
  ['sqlite-thread', 'database thread ended', ['a throw', 'leaving without a word']],
])('a process whose %s ends exits, and logs that in one line:', (THREAD, event, deaths) => {
  test.each(deaths)('%s', async (DEATH) => {
    await using folder = await storeFolder();
    const program = runServerWithPreload('failing-thread.ts', {
      PORT: '0',
      DATA_DIR: folder.path,
      THREAD,
      DEATH,
    });
    try {
      await program.address();
      program.kill('SIGUSR2');
      expect(await exitCodeOf(program)).toBe(1);
      expect(problemsOf(program).map((line) => JSON.parse(line).event)).toEqual([event]);
    } finally {
      program.kill('SIGKILL');
    }
  });
});
