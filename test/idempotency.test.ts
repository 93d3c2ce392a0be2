import { describe, expect, test } from 'bun:test';
import { routes } from '../src/api/routes.ts';
import { cleanUp } from '../src/manage/clean-up.ts';
import { IdempotentCall } from '../src/manage/idempotent-call.ts';
import { dayLength } from '../src/rules/durations.ts';
import { deleteOldestKeys, organizationsOverAnswerLimit } from '../src/storage/idempotency-keys.ts';
import { storeKinds, type TestResponse } from './support/app.ts';
import { nodesWithOwner } from './support/app-suite.ts';
import { member } from './support/members.ts';

describe.each(storeKinds)('a call with an Idempotency-Key on %s', (store) => {
  const { nodeA: app, nodeB: otherNode, owner } = nodesWithOwner({}, {}, store);
  let keys = 0;
  const newKey = () => `key-${++keys}`;
  const post = (path: string, key: string, body: unknown, { node = app, as = owner.key } = {}) =>
    node.call('POST', `/api/v1${path}`, { key: as, body, headers: { 'idempotency-key': key } });
  const errorOf = ({ status, json }: TestResponse) => [status, json.error_code, json.field_key];
  const linkCount = async () =>
    (await app.call('GET', '/api/v1/link?limit=1', { key: owner.key })).json.total_links;
  const isReplay = ({ headers }: TestResponse) => headers.get('idempotent-replayed') === 'true';
  const link = { destination_url: 'https://example.com/once' };
  const rows = () =>
    app.app.context.database.read.selectFrom('idempotency_keys').selectAll().orderBy('expires_at').execute();

  test('is carried out once, and gets the same response from every node, byte for byte', async () => {
    const calls: [string, unknown][] = [
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
    for (const [path, body] of calls) {
      const key = newKey();
      const first = await post(path, key, body);
      const before = await linkCount();
      const repeated = await post(path, key, body, { node: otherNode });
      expect([path, repeated.status, repeated.text]).toEqual([
        path,
        path === '/link/bulk' ? 200 : 201,
        first.text,
      ]);
      expect([isReplay(first), isReplay(repeated)]).toEqual([false, true]);
      expect(await linkCount()).toBe(before);
    }
    expect((await post('/link', newKey(), link)).json.id).not.toBe(
      (await post('/link', newKey(), link)).json.id,
    );
  });

  test('is carried out once if it is sent many times at once', async () => {
    for (const [path, body] of [
      ['/link', link],
      ['/link/bulk', { links: [link, link] }],
      ['/domain', { domain: 'at-once.example.org' }],
    ] as const) {
      const key = newKey();
      const before = await linkCount();
      const responses = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          post(path, key, body, { node: index % 2 ? app : otherNode }),
        ),
      );
      expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(responses.filter((response) => !isReplay(response))).toHaveLength(1);
      expect((await linkCount()) - before).toBe(path === '/domain' ? 0 : path === '/link' ? 1 : 2);
    }
  });

  test('is the same call with other values of ignored parameters', async () => {
    const key = newKey();
    const first = await post('/link?_=1&disable_png=true', key, link);
    expect(first.status).toBe(201);
    for (const query of ['_=2&disable_png=true', 'disable_png=true&_t=3&_u=4', 'disable_png=true']) {
      const repeated = await post(`/link?${query}`, key, link);
      expect([query, repeated.text, isReplay(repeated)]).toEqual([query, first.text, true]);
    }
    const other = await post('/link?_=1', key, link);
    expect(other.json.error_code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  test('is refused if the key was sent with another body, query or path', async () => {
    const key = newKey();
    const first = await post('/link', key, link);
    const reused = [422, 'IDEMPOTENCY_KEY_REUSED', 'Idempotency-Key'];
    expect(errorOf(await post('/link', key, { ...link, name: 'x' }))).toEqual(reused);
    expect(errorOf(await post('/link?disable_png=true', key, link))).toEqual(reused);
    expect(errorOf(await post('/tag', key, { name: 'reused' }))).toEqual(reused);
    expect((await post('/link', key, link)).text).toBe(first.text);
  });

  test('gets the same conflict again, but may be corrected after a validation error', async () => {
    const taken = { ...link, suffix: `taken-${store}` };
    const { id } = (await app.call('POST', '/api/v1/link', { key: owner.key, body: taken })).json;
    const key = newKey();
    const refused = await post('/link', key, taken);
    expect(errorOf(refused)).toEqual([409, 'SUFFIX_TAKEN', 'suffix']);
    await app.call('DELETE', `/api/v1/link/${id}`, { key: owner.key });
    const repeated = await post('/link', key, taken, { node: otherNode });
    expect([repeated.status, repeated.text, isReplay(repeated)]).toEqual([409, refused.text, true]);

    const correctedKey = newKey();
    for (const body of [
      { name: 'no destination' },
      { destination_url: 'nowhere' },
      { ...link, tags: [999_999] },
    ])
      expect((await post('/link', correctedKey, body)).status).toBe(400);
    expect((await post('/link', correctedKey, link)).status).toBe(201);
    const atomicKey = newKey();
    expect((await post('/link/bulk?atomic=true', atomicKey, { links: [link, { suffix: 'x' }] })).status).toBe(
      400,
    );
    expect((await post('/link/bulk?atomic=true', atomicKey, { links: [link] })).status).toBe(200);
  });

  test('does not collide with the same key of another member or another organization', async () => {
    const key = newKey();
    const colleague = await member(app, owner);
    const otherAccount = await app.createAccount();
    const senders = [owner.key, colleague.key, otherAccount.key];
    const made = await Promise.all(senders.map((as) => post('/api_key', key, { name: 'mine' }, { as })));
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(made.map(({ json }) => json.key)).size).toBe(3);
  });

  test('needs a key of 1 to 255 characters if it creates something; otherwise the key is ignored', async () => {
    for (const key of ['', 'x'.repeat(256), 'caf\u00e9'])
      expect(errorOf(await post('/link', key, link))).toEqual([400, 'FIELD_INVALID', 'Idempotency-Key']);
    expect((await post('/link', 'x'.repeat(255), link)).status).toBe(201);
    const { id } = (await post('/link', newKey(), link)).json;
    const rename = (name: string) =>
      app.call('PATCH', `/api/v1/link/${id}`, {
        ...{ key: owner.key, body: { name } },
        headers: { 'idempotency-key': 'the same' },
      });
    expect([(await rename('one')).json.name, (await rename('two')).json.name]).toEqual(['one', 'two']);
  });

  test('leaves no readable secret in the database', async () => {
    const key = newKey();
    const made = await post('/api_key', key, { name: 'secret' });
    const stored = JSON.stringify(await rows());
    for (const text of [made.json.key, made.json.prefix, key, '"secret"']) expect(stored).not.toContain(text);
  });

  test('stores its response together with what it creates, even if the process ends right afterwards', async () => {
    const { context } = app.app;
    const sent = { organizationId: owner.organizationId, userId: owner.userId, key: newKey(), request: 'x' };
    const carryOut = (isResponseKnown: boolean) => {
      const call = new IdempotentCall(context, sent);
      if (isResponseKnown) call.answerWith(async (made) => ({ status: 201, text: JSON.stringify(made) }));
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
    expect(await outcome(carryOut(true))).toBe('the end of the process');
    expect(await outcome(carryOut(true))).toEqual({ status: 201, text: '"made"', isReplay: true });
    // If the response wasn't known beforehand, the caller at least learns that the call was carried out.
    sent.key = newKey();
    expect(await outcome(carryOut(false))).toBe('the end of the process');
    app.clock.now += 60_000;
    expect(await outcome(carryOut(false))).toContain('was carried out');
  });

  test('is forgotten after 24 hours, and deleted with other expired rows', async () => {
    const key = newKey();
    const first = await post('/link', key, link);
    app.clock.now += dayLength - 1;
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

  test('is forgotten earlier if an organization stores too much, the oldest call first', async () => {
    const { database } = app.app.context;
    app.clock.now += 1;
    await post('/link', newKey(), link);
    const sizes = (await rows()).map(({ size }) => size);
    const max = (sizes.at(-1) ?? 0) + 1;
    expect(await organizationsOverAnswerLimit(database.read, max)).toEqual([owner.organizationId]);
    const deleteOne = () =>
      database.write((queries) => deleteOldestKeys(queries, owner.organizationId, max, 1));
    while (await deleteOne());
    expect((await rows()).map(({ size }) => size)).toEqual(sizes.slice(-1));
    expect(await organizationsOverAnswerLimit(database.read, max)).toEqual([]);
  });
});

test('every call that creates something for an organization accepts an Idempotency-Key', () => {
  // Accounts and sessions are created without an API key, and a Zapier hook is created once per address, however often it is requested.
  const others = ['/api/v1/user', '/api/v1/session', '/api/v1/auth/create_tokens', '/api/v1/zapier/hooks'];
  const creations = routes.filter(
    ({ method, path, endpoint }) => method === 'POST' && 201 in endpoint.statuses && !others.includes(path),
  );
  expect(creations.length).toBeGreaterThan(6);
  expect(creations.filter(({ endpoint }) => !endpoint.isIdempotentByKey).map(({ path }) => path)).toEqual([]);
});
