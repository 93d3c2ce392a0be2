import { afterAll, beforeAll, expect } from 'bun:test';
import { type StoreKind, startApp, type TestAccount, type TestApp } from './app.ts';
import { migratedPostgres } from './migrated-store.ts';
import { SECRET_KEY } from './secret-key.ts';

type StartOptions = NonNullable<Parameters<typeof startApp>[0]>;

type Options = StartOptions | (() => Promise<StartOptions>);

/**
 * An app for the tests of a file or a `describe`. It is started before the first of them, and must not have logged errors at the
 * end. Options may be a function that starts what the app needs.
 */
export function appForSuite(options: Options = {}): TestApp {
  const app = {} as TestApp;
  beforeAll(async () => {
    Object.assign(app, await startApp(typeof options === 'function' ? await options() : options));
  });
  afterAll(async () => {
    await app.stop();
    expect(app.faults).toEqual([]);
  });
  return app;
}

/** The same, with an account, and a function that calls the API, by default with its key. */
export function appWithOwner(options: Options = {}) {
  const app = appForSuite(options);
  const owner = {} as TestAccount;
  beforeAll(async () => {
    Object.assign(owner, await app.createAccount());
  });
  const call = (method: string, path: string, body?: unknown, key = owner.key) =>
    app.call(method, `/api/v1${path}`, { key, body });
  return { app, owner, call };
}

/**
 * Two nodes on one PostgreSQL database, with an account, for the tests of a file or a `describe`. With SQLite they are
 * the same one.
 */
export function nodesWithOwner(
  optionsOfA: StartOptions = {},
  optionsOfB = optionsOfA,
  store: StoreKind = 'postgres',
): { readonly nodeA: TestApp; readonly nodeB: TestApp; readonly owner: TestAccount } {
  const nodeA = {} as TestApp;
  const nodeB = {} as TestApp;
  const owner = {} as TestAccount;
  beforeAll(async () => {
    const shared = { SECRET_KEY, ...(store === 'postgres' && { DATABASE_URL: await migratedPostgres() }) };
    const start = ({ env, ...options }: StartOptions) => startApp({ ...options, env: { ...env, ...shared } });
    Object.assign(nodeA, await start(optionsOfA));
    Object.assign(nodeB, store === 'postgres' ? await start(optionsOfB) : nodeA);
    Object.assign(owner, await nodeA.createAccount());
  });
  afterAll(async () => {
    await Promise.all(store === 'postgres' ? [nodeA.stop(), nodeB.stop()] : [nodeA.stop()]);
    expect([...nodeA.faults, ...nodeB.faults]).toEqual([]);
  });
  return { nodeA, nodeB, owner };
}
