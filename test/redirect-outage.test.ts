import { afterEach, beforeEach, expect, test } from 'bun:test';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Newcomer, startApp, type TestApp } from './support/app.ts';
import { freshPostgres } from './support/postgres.ts';
import { visitRaw } from './support/raw-http.ts';

/** A wire to the database that can be cut, and laid again. */
class Wire {
  readonly #target: URL;
  readonly #ends = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(target: string) {
    this.#target = new URL(target);
  }

  get url(): string {
    const url = new URL(this.#target);
    url.port = String(this.#port);
    return url.href;
  }

  lay(): Promise<void> {
    this.#server = createServer((near) => {
      const far = connect(Number(this.#target.port), this.#target.hostname);
      for (const [end, partner] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#ends.add(end);
        end.on('error', () => {}).on('close', () => partner.destroy());
        end.pipe(partner);
      }
    });
    return new Promise((resolve) => {
      this.#server?.listen(this.#port, '127.0.0.1', () => {
        const address = this.#server?.address();
        this.#port = typeof address === 'object' && address ? address.port : 0;
        resolve();
      });
    });
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const end of this.#ends) end.destroy();
    this.#ends.clear();
    await closed;
  }
}

const custom = 'go.example.org';
const SECRET_KEY = 'the same secret on every node, long enough';
let database: string;
let wire: Wire;
let app: TestApp;
let owner: Newcomer;

beforeEach(async () => {
  database = await freshPostgres();
  wire = new Wire(database);
  await wire.lay();
  app = await startApp({ env: { DATABASE_URL: wire.url, SECRET_KEY } });
  owner = await app.newcomer();
  await app.app.context.database.write((queries) =>
    queries
      .insertInto('domains')
      .values({ created_at: 1, organization_id: owner.organizationId, host: custom, verified_at: 1 })
      .execute(),
  );
});
afterEach(async () => {
  await app.stop();
  await wire.cut();
});

async function make(fields: object = {}): Promise<string> {
  const body = { destination_url: 'https://destination.example', ...fields };
  const made = await app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
  return new URL(made.json.url).pathname;
}

async function until(check: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  while (!(await check())) {
    if (performance.now() - began > 5_000) throw new Error('it did not come to that');
    await Bun.sleep(20);
  }
}

test('while the database is away, links that are known go on, others get a 503 page, and all is well afterwards', async () => {
  const [known, unknown] = [await make(), await make()];
  const [locked, checked] = [await make({ password: 'open sesame' }), await make({ captcha: true })];
  const onCustom = await make({ domain: custom });
  for (const path of [known, locked, checked]) await app.visit(path);
  expect((await visitRaw(app.url, { host: custom, path: onCustom })).status).toBe(302);
  expect((await app.visit('/no-such-link')).status).toBe(404);

  await wire.cut();
  for (let time = 0; time < 50; time++) expect((await app.visit(known)).status).toBe(302);
  expect((await app.visit('/no-such-link')).status).toBe(404);
  for (const path of [unknown, '/never-asked-for']) {
    const away = await app.visit(path);
    expect([path, away.status, away.headers.get('retry-after')]).toEqual([path, 503, '5']);
    expect(away.text).toContain('Try again in a few seconds.');
  }
  expect((await app.visit(locked)).status).toBe(200);
  const guess = { method: 'POST', body: new URLSearchParams({ password: 'open sesame' }) };
  expect((await app.visit(locked, {}, guess)).status).toBe(503);
  expect((await app.visit(checked)).status).toBe(200);
  app.clock.now += 61_000;
  for (let time = 0; time < 50; time++)
    expect((await visitRaw(app.url, { host: custom, path: onCustom })).status).toBe(302);

  await wire.lay();
  await until(async () => (await app.visit(unknown)).status === 302);
  expect((await app.visit(locked, {}, guess)).status).toBe(302);
});

test('a change that was made while this node could not hear of it is seen once it can', async () => {
  const path = await make({ suffix: 'changed-meanwhile' });
  expect((await app.visit(path)).status).toBe(302);
  await wire.cut();
  const direct = await startApp({ env: { DATABASE_URL: database, SECRET_KEY } });
  const list = await direct.call('GET', '/api/v1/link', { key: owner.key });
  const body = { destination_url: 'https://destination.example/changed' };
  await direct.call('PATCH', `/api/v1/link/${list.json.links[0].id}`, { key: owner.key, body });
  await direct.stop();
  expect((await app.visit(path)).headers.get('location')).toBe('https://destination.example/');
  await wire.lay();
  await until(async () => (await app.visit(path)).headers.get('location') === body.destination_url);
});
