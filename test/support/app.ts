import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, createApp, type Overrides } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { Log } from '../../src/telemetry/log.ts';
import { requireDocumentedStatus } from './documented-statuses.ts';
import { migratedPostgres, migratedSqlite } from './migrated-store.ts';

export type StoreKind = 'sqlite' | 'postgres';
export const storeKinds: readonly StoreKind[] = ['sqlite', 'postgres'];

/** Defines tests of `describe.each(storeKinds)` whose outcome can't depend on the store, such as those of validation: on one of the two. */
export function onOneStore(store: StoreKind, define: () => void): void {
  if (store === 'sqlite') define();
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // The tests check the contents of answers, so the type is left open.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is tested
  readonly json: any;
}

/** All of an answer, to search it for what it must not reveal. */
export const serialized = (response: TestResponse): string =>
  JSON.stringify([response.status, [...response.headers], response.text]);

export interface Send {
  readonly body?: unknown;
  readonly key?: string | undefined;
  readonly headers?: Record<string, string>;
}

export interface TestApp {
  readonly app: App;
  readonly url: string;
  readonly dataDir: string;
  /** Empty for SQLite. */
  readonly databaseUrl: string;
  /** The clock of the app, which a test may set. */
  readonly clock: { now: number };
  /** Lines that were logged as errors: a test that expects none checks that there are none. */
  readonly faults: string[];
  call(method: string, path: string, send?: Send): Promise<TestResponse>;
  /** Visits a short link like a person's browser, without following redirects. */
  visit(path: string, headers?: Record<string, string>, init?: RequestInit): Promise<TestResponse>;
  /** Creates an account with its own organization and an API key. */
  createAccount(email?: string): Promise<TestAccount>;
  /** Creates a link to `https://example.com/`, unless the fields say otherwise. */
  createLink(by: { readonly key: string }, fields?: object): Promise<TestLink>;
  stop(): Promise<void>;
}

export interface TestAccount {
  readonly email: string;
  readonly password: string;
  readonly key: string;
  readonly organizationId: number;
  readonly userId: number;
}

/** The answer's fields that most tests need. */
export interface TestLink {
  readonly id: number;
  readonly suffix: string;
  readonly url: string;
  readonly zapier_key: string;
  /** Of its URL, as a visitor's request has it. */
  readonly path: string;
}

export const browserUserAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

export async function startApp(
  options: {
    store?: StoreKind;
    env?: Record<string, string>;
    overrides?: Overrides;
    /** The clock's first instant. If a test set the clock back after the start, the first clean-up could delete what it creates as expired. */
    startsAt?: number;
  } = {},
): Promise<TestApp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'linnet-test-'));
  // On a machine under load, connecting may take longer than the default timeout.
  const databaseUrl = options.store === 'postgres' ? `${await migratedPostgres()}?connect_timeout=60` : '';
  if (databaseUrl === '' && !options.env?.DATABASE_URL) await migratedSqlite(dataDir);
  const clock = { now: options.startsAt ?? Date.now() };
  const faults: string[] = [];
  const log = new Log('info', (line) => {
    if (line.includes('"level":"error"')) faults.push(line);
  });
  const config = loadConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    REGISTRATION: 'open',
    MISS_LIMIT: '0',
    // Journal segments are deleted as soon as they are counted, so that no test has to wait for that.
    JOURNAL_KEEP_MINUTES: '0',
    FETCH_TITLES: 'off',
    DNS_SERVERS: closedPort,
    ...options.env,
  });
  const app = await createApp(config, {
    now: () => clock.now,
    log,
    // More often, an idle app on PostgreSQL takes a tenth of a core.
    pollInterval: 250,
    hashCost: cheapHash,
    ...options.overrides,
    webhooks: { pollInterval: 400, postOptions: { lookup: onlyThisMachine }, ...options.overrides?.webhooks },
  });
  const { port, protocol } = new URL(app.listening);
  const url = `${protocol}//127.0.0.1:${port}`;
  // The certificates of tests are self-signed.
  const anyCertificate = protocol === 'https:' ? { tls: { rejectUnauthorized: false } } : {};

  async function call(
    method: string,
    path: string,
    { body, key, headers = {} }: Send = {},
  ): Promise<TestResponse> {
    const response = await fetch(url + path, {
      ...anyCertificate,
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'api-key': key }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    requireDocumentedStatus(method, path, response.status);
    return responseOf(response);
  }

  let accounts = 0;
  return {
    app,
    url,
    dataDir,
    databaseUrl,
    clock,
    faults,
    call,
    async visit(path, headers = {}, init = {}) {
      return responseOf(
        await fetch(path.startsWith('http') ? path : url + path, {
          ...anyCertificate,
          redirect: 'manual',
          ...init,
          headers: { 'user-agent': browserUserAgent, ...headers },
        }),
      );
    },
    async createAccount(email = `person${++accounts}@example.com`) {
      const password = 'correct horse battery';
      const setup_token = app.setupToken ?? undefined;
      const user = await call('POST', '/api/v1/user', { body: { email, password, setup_token } });
      const tokens = await call('POST', '/api/v1/auth/create_tokens', { body: { email, password } });
      const apiKey = await call('POST', '/api/v1/api_key', {
        body: { name: 'tests' },
        headers: { authorization: `Bearer ${tokens.json.access_token}` },
      });
      if (apiKey.status !== 201) throw new Error(`no account: ${user.text} ${tokens.text} ${apiKey.text}`);
      return {
        email,
        password,
        key: apiKey.json.key,
        organizationId: user.json.organization_id,
        userId: user.json.id,
      };
    },
    async createLink({ key }, fields = {}) {
      const body = { destination_url: 'https://example.com/', ...fields };
      const { status, text, json } = await call('POST', '/api/v1/link', { key, body });
      if (status !== 201) throw new Error(`no link: ${text}`);
      return { ...json, path: new URL(json.url).pathname };
    },
    async stop() {
      await app.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** For tests that start several apps one after another on one store, by `createApp`. */
export const configFor = (DATA_DIR: string, DATABASE_URL: string) =>
  loadConfig({ PORT: '0', DATA_DIR, DATABASE_URL, MISS_LIMIT: '0', JOURNAL_KEEP_MINUTES: '0' });

/** Hashing takes 50 ms of CPU at its full cost, and 0.1 ms at this one. */
const cheapHash = { memoryCost: 64, timeCost: 1 } as const;

/** No test queries public name servers: nothing listens on this port of this machine. */
const closedPort = '127.0.0.1:9';

/** No test posts to the internet: only `localhost` resolves. */
const onlyThisMachine = async (name: string): Promise<readonly string[]> =>
  name === 'localhost' ? ['127.0.0.1'] : [];

async function responseOf(response: Response): Promise<TestResponse> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}
