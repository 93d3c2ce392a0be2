import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { routes } from '../src/api/routes.ts';
import { cleanUp } from '../src/manage/clean-up.ts';
import { IdempotentCall } from '../src/manage/idempotent-call.ts';
import { deleteOldestKeys, withManyAnswers } from '../src/storage/idempotency-keys.ts';
import { type Answer, startApp, storeKinds, type TestAccount, type TestApp } from './support/app.ts';
import { member } from './support/members.ts';
import { migratedPostgres } from './support/migrated-store.ts';

const day = 86_400_000;

describe.each(storeKinds)('a call with an Idempotency-Key on %s', (store) => {
  let app: TestApp;
  /** Another node on PostgreSQL, the same one on SQLite. */
  let other: TestApp;
  let owner: TestAccount;
  let keys = 0;
  const fresh = () => `key-${++keys}`;
  const post = (path: string, key: string, body: unknown, { node = app, as = owner.key } = {}) =>
    node.call('POST', `/api/v1${path}`, { key: as, body, headers: { 'idempotency-key': key } });
  const brief = ({ status, json }: Answer) => [status, json.error_code, json.field_key];
  const total = async () =>
    (await app.call('GET', '/api/v1/link?limit=1', { key: owner.key })).json.total_links;
  const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true';
  const link = { destination_url: 'https://example.com/once' };
  const rows = () =>
    app.app.context.database.read.selectFrom('idempotency_keys').selectAll().orderBy('expires_at').execute();

  beforeAll(async () => {
    const env = { SECRET_KEY: 'the same secret on every node, long enough' };
    const databaseUrl = store === 'postgres' ? { DATABASE_URL: await migratedPostgres() } : {};
    app = await startApp({ env: { ...env, ...databaseUrl } });
    other = store === 'postgres' ? await startApp({ env: { ...env, ...databaseUrl } }) : app;
    owner = await app.createAccount();
  });
  afterAll(async () => {
    expect([...app.faults, ...other.faults]).toEqual([]);
    await Promise.all(store === 'postgres' ? [app.stop(), other.stop()] : [app.stop()]);
  });

  test('is carried out once, and gets the same response from every node, byte for byte', async () => {
    const made: [string, unknown][] = [
      ['/link', link],
      [
        '/link',
        { ...link, suffix: `chosen-${store}`, password: 'sesame', webhook_auth_key: 'whsec_c2VjcmV0' },
      ],
      ['/link/bulk', { links: [link, { ...link, suffix: 'not/./one' }, link] }],
      ['/tag', { name: 'once' }],
      ['/api_key', { name: 'once' }],
      ['/domain', { domain: 'once.example.org' }],
      ['/invitation', { email: 'once@example.com', role: 'editor' }],
    ];
    for (const [path, body] of made) {
      const key = fresh();
      const first = await post(path, key, body);
      const before = await total();
      const again = await post(path, key, body, { node: other });
      expect([path, again.status, again.text]).toEqual([path, path === '/link/bulk' ? 200 : 201, first.text]);
      expect([isReplay(first), isReplay(again)]).toEqual([false, true]);
      expect(await total()).toBe(before);
    }
    expect((await post('/link', fresh(), link)).json.id).not.toBe(
      (await post('/link', fresh(), link)).json.id,
    );
  });

  test('is carried out once if it is sent many times at once', async () => {
    for (const [path, body] of [
      ['/link', link],
      ['/link/bulk', { links: [link, link] }],
      ['/domain', { domain: 'at-once.example.org' }],
    ] as const) {
      const key = fresh();
      const before = await total();
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) => post(path, key, body, { node: index % 2 ? app : other })),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers.filter((answer) => !isReplay(answer))).toHaveLength(1);
      expect((await total()) - before).toBe(path === '/domain' ? 0 : path === '/link' ? 1 : 2);
    }
  });

  test('is refused if the key was sent with another body, query or path', async () => {
    const key = fresh();
    const first = await post('/link', key, link);
    const reused = [422, 'IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key'];
    expect(brief(await post('/link', key, { ...link, name: 'x' }))).toEqual(reused);
    expect(brief(await post('/link?disable_png=true', key, link))).toEqual(reused);
    expect(brief(await post('/tag', key, { name: 'reused' }))).toEqual(reused);
    expect((await post('/link', key, link)).text).toBe(first.text);
  });

  test('gets the same conflict again, and may be corrected if it was wrong', async () => {
    const taken = { ...link, suffix: `taken-${store}` };
    const { id } = (await app.call('POST', '/api/v1/link', { key: owner.key, body: taken })).json;
    const key = fresh();
    const refused = await post('/link', key, taken);
    expect(brief(refused)).toEqual([409, 'SUFFIX_TAKEN', 'suffix']);
    await app.call('DELETE', `/api/v1/link/${id}`, { key: owner.key });
    const again = await post('/link', key, taken, { node: other });
    expect([again.status, again.text, isReplay(again)]).toEqual([409, refused.text, true]);

    const mended = fresh();
    for (const body of [
      { name: 'no destination' },
      { destination_url: 'nowhere' },
      { ...link, tags: [999_999] },
    ])
      expect((await post('/link', mended, body)).status).toBe(400);
    expect((await post('/link', mended, link)).status).toBe(201);
    const atomic = fresh();
    expect((await post('/link/bulk?atomic=true', atomic, { links: [link, { suffix: 'x' }] })).status).toBe(
      400,
    );
    expect((await post('/link/bulk?atomic=true', atomic, { links: [link] })).status).toBe(200);
  });

  test('has a key of its sender only: another member and another organization can use the same one', async () => {
    const key = fresh();
    const colleague = await member(app, owner);
    const stranger = await app.createAccount();
    const senders = [owner.key, colleague.key, stranger.key];
    const made = await Promise.all(senders.map((as) => post('/api_key', key, { name: 'mine' }, { as })));
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(made.map(({ json }) => json.key)).size).toBe(3);
  });

  test('has a key of 1 to 255 characters for creations; elsewhere it is ignored', async () => {
    for (const key of ['', 'x'.repeat(256), 'caf\u00e9'])
      expect(brief(await post('/link', key, link))).toEqual([400, 'FIELD_INVALID', 'Idempotency-Key']);
    expect((await post('/link', 'x'.repeat(255), link)).status).toBe(201);
    const { id } = (await post('/link', fresh(), link)).json;
    const rename = (name: string) =>
      app.call('PATCH', `/api/v1/link/${id}`, {
        ...{ key: owner.key, body: { name } },
        headers: { 'idempotency-key': 'the same' },
      });
    expect([(await rename('one')).json.name, (await rename('two')).json.name]).toEqual(['one', 'two']);
  });

  test('leaves no readable secret in the database', async () => {
    const key = fresh();
    const made = await post('/api_key', key, { name: 'secret' });
    const stored = JSON.stringify(await rows());
    for (const text of [made.json.key, made.json.prefix, key, '"secret"']) expect(stored).not.toContain(text);
  });

  test('has its response with its creation, whatever happens right afterwards', async () => {
    const { context } = app.app;
    const sent = { organizationId: owner.organizationId, userId: owner.userId, key: fresh(), request: 'x' };
    const make = (foresees: boolean) => {
      const call = new IdempotentCall(context, sent);
      if (foresees) call.answerWith(async (made) => ({ status: 201, text: JSON.stringify(made) }));
      return call.answer(
        context,
        async (within) => {
          await within.database.write(async () => 'made');
          throw new Error('the end of the process');
        },
        () => null,
      );
    };
    const outcome = (promise: Promise<unknown>) => promise.catch((cause: Error) => cause.message);
    expect(await outcome(make(true))).toBe('the end of the process');
    expect(await outcome(make(true))).toEqual({ status: 201, text: '"made"', isReplay: true });
    // If the response wasn't known beforehand, the caller at least learns that the call was carried out.
    sent.key = fresh();
    expect(await outcome(make(false))).toBe('the end of the process');
    app.clock.now += 60_000;
    expect(await outcome(make(false))).toContain('was carried out');
  });

  test('is forgotten after 24 hours, and deleted with other expired rows', async () => {
    const key = fresh();
    const first = await post('/link', key, link);
    app.clock.now += day - 1;
    expect((await post('/link', key, link)).text).toBe(first.text);
    app.clock.now += 1;
    const second = await post('/link', key, link);
    expect([second.status, isReplay(second)]).toEqual([201, false]);
    expect(second.json.id).not.toBe(first.json.id);
    expect((await rows()).length).toBeGreaterThan(5);
    await cleanUp(app.app.context);
    expect((await rows()).map(({ status }) => status)).toEqual([201]);
    expect((await post('/link', key, link)).text).toBe(second.text);
  });

  test('is forgotten earlier if an organization stores too much, the oldest first', async () => {
    const { database } = app.app.context;
    app.clock.now += 1;
    await post('/link', fresh(), link);
    const sizes = (await rows()).map(({ size }) => size);
    const max = (sizes.at(-1) ?? 0) + 1;
    expect(await withManyAnswers(database.read, max)).toEqual([owner.organizationId]);
    const deleteOne = () =>
      database.write((queries) => deleteOldestKeys(queries, owner.organizationId, max, 1));
    while (await deleteOne());
    expect((await rows()).map(({ size }) => size)).toEqual(sizes.slice(-1));
    expect(await withManyAnswers(database.read, max)).toEqual([]);
  });
});

test('every call that creates something for an organization accepts one', () => {
  // Accounts and sessions are made without an API key, and Zapier subscribes an address once, however often it asks.
  const others = ['/api/v1/user', '/api/v1/session', '/api/v1/auth/create_tokens', '/api/v1/zapier/hooks'];
  const makes = routes.filter(
    ({ method, path, endpoint }) => method === 'POST' && 201 in endpoint.statuses && !others.includes(path),
  );
  expect(makes.length).toBeGreaterThan(6);
  expect(makes.filter(({ endpoint }) => !endpoint.isIdempotentByKey).map(({ path }) => path)).toEqual([]);
});
