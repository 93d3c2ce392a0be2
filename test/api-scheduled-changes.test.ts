import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { dayLength, minuteLength } from '../src/rules/durations.ts';
import { listDue } from '../src/storage/links/scheduled-changes.ts';
import {
  onOneStore,
  type Send,
  startApp,
  storeKinds,
  type TestAccount,
  type TestApp,
  type TestResponse,
} from './support/app.ts';
import { pollUntil } from './support/eventually.ts';
import { member } from './support/members.ts';
import { migratedPostgres } from './support/migrated-store.ts';
import { SECRET_KEY } from './support/secret-key.ts';
import { targetOfEachTest } from './support/webhook-target.ts';

interface Change {
  readonly id: number;
  readonly at: string;
  readonly status: 'open' | 'applied' | 'refused';
  readonly done_at: string | null;
  readonly by: { readonly id: number } | null;
  readonly refusal: { readonly error_code: string; readonly field_key: string | null } | null;
}

const target = targetOfEachTest();

/** Calls of one member to several nodes that share a store and a clock. */
function calls(nodes: readonly TestApp[], key: () => string) {
  const [app] = nodes as readonly [TestApp];
  const call = (method: string, path: string, body?: object, more: Send = {}) =>
    app.call(method, `/api/v1${path}`, { key: key(), ...(body && { body }), ...more });
  const inFuture = (after: number) => new Date(app.clock.now + after).toISOString();
  const listed = async (id: number): Promise<Change[]> =>
    (await call('GET', `/link/${id}/scheduled`)).json.scheduled;
  return {
    call,
    inFuture,
    listed,
    create: async (body: object = {}) =>
      (await call('POST', '/link', { destination_url: 'https://example.com/first', ...body })).json,
    schedule: (
      id: number,
      changes: object,
      { after = minuteLength, query = '', ...more }: ScheduleOptions = {},
    ) => call('POST', `/link/${id}/scheduled${query}`, { at: inFuture(after), changes }, more),
    read: async (id: number) => (await call('GET', `/link/${id}`)).json,
    history: async (id: number) => (await call('GET', `/link/${id}/history`)).json.history,
    advance(time: number) {
      for (const node of nodes) node.clock.now = app.clock.now + (node === app ? time : 0);
    },
    done: (id: number, count = 1) =>
      pollUntil(
        async () => (await listed(id)).filter(({ status }) => status !== 'open'),
        (changes) => changes.length >= count,
        `${count} scheduled changes to be done`,
      ),
  };
}

interface ScheduleOptions extends Send {
  readonly after?: number;
  readonly query?: string;
}

const refused = ({ status, json }: TestResponse) => [status, json.error_code, json.field_key];

describe.each(storeKinds)('scheduled changes on %s', (store) => {
  /** On PostgreSQL there are two nodes. */
  let nodes: readonly TestApp[];
  let app: TestApp;
  let owner: TestAccount;
  let link: ReturnType<typeof calls>;

  beforeAll(async () => {
    const env = { SECRET_KEY };
    const shared = store === 'postgres' ? { ...env, DATABASE_URL: await migratedPostgres() } : env;
    app = await startApp({ env: shared });
    nodes = store === 'postgres' ? [app, await startApp({ env: shared })] : [app];
    owner = await app.createAccount();
    link = calls(nodes, () => owner.key);
    link.advance(0);
  });
  afterAll(async () => {
    expect(nodes.flatMap((node) => node.faults)).toEqual([]);
    await Promise.all(nodes.map((node) => node.stop()));
  });

  test('may be sent back as they were read', async () => {
    const { id } = await link.create();
    const changes = {
      ...{ name: null, disabled: true, click_limit: 5, utm_source: 'mail', expiration_date: '2040-01-01' },
      ...{ aliases: null, webhook_events: ['click'], redirect_status: 301 },
      rules: [{ when: { country: ['de'], hours: { timezone: 'Europe/Berlin' } }, destination_url: 'a.com' }],
    };
    const made = await link.schedule(id, changes);
    const [read] = await link.listed(id);
    const later = { ...read, at: link.inFuture(2 * minuteLength) };
    const changed = await link.call('PATCH', `/scheduled_change/${made.json.id}`, later);
    expect([changed.status, changed.json]).toEqual([
      200,
      { ...made.json, at: later.at, updated_at: changed.json.updated_at },
    ]);
    const copied = await link.call('POST', `/link/${id}/scheduled`, changed.json);
    expect([copied.status, copied.json.at, copied.json.changes]).toEqual([
      ...[201, later.at, changed.json.changes],
    ]);
    for (const change of [made, copied]) await link.call('DELETE', `/scheduled_change/${change.json.id}`);
  });

  test('are applied at their instant like a PATCH, with redirects, history and webhook', async () => {
    const hook = target();
    const made = await link.create({ webhook_url: hook.url, webhook_events: ['link.updated'] });
    const location = async () => (await app.visit(`/${made.suffix}`)).headers.get('location');
    expect(await location()).toBe('https://example.com/first');
    const later = await link.schedule(
      made.id,
      { destination_url: 'https://example.com/3' },
      { after: 2 * minuteLength },
    );
    const sooner = await link.schedule(made.id, { destination_url: 'https://example.com/2', name: 'Sale' });
    expect([sooner.status, sooner.json.status, sooner.json.via, sooner.json.by.id]).toEqual([
      ...[201, 'open', 'api_key', owner.userId],
    ]);
    expect((await link.listed(made.id)).map(({ id }) => id)).toEqual([sooner.json.id, later.json.id]);
    expect(await location()).toBe('https://example.com/first');

    link.advance(minuteLength);
    expect(await link.done(made.id)).toMatchObject([
      { id: sooner.json.id, status: 'applied', refusal: null, done_at: expect.any(String) },
    ]);
    await pollUntil(location, (to) => to === 'https://example.com/2', 'the redirect');
    expect((await link.history(made.id))[0]).toMatchObject({
      action: 'changed',
      scheduled: sooner.json.id,
      by: { id: owner.userId },
      api_key: { name: 'tests' },
      refusal: null,
    });
    const [first] = await hook.calls(1);
    expect(JSON.parse(first?.body ?? '')).toMatchObject({ event: 'link.updated' });
    link.advance(minuteLength);
    await link.done(made.id, 2);
    await pollUntil(location, (to) => to === 'https://example.com/3', 'the second redirect');
  });

  test('are applied once each and in order, however many are due at once', async () => {
    const links = await Promise.all(Array.from({ length: 3 }, () => link.create()));
    for (const { id } of links)
      for (const name of ['1', '2', '3']) await link.schedule(id, { name }, { after: 5 * minuteLength });
    link.advance(5 * minuteLength);
    for (const { id } of links) {
      await link.done(id, 3);
      const names = (await link.history(id)).flatMap(({ changes }: { changes: { to: unknown }[] }) =>
        changes.map(({ to }) => to),
      );
      expect(names).toEqual(['3', '2', '1']);
    }
  });

  test("that can't be applied any more have the reason, and the link stays unchanged", async () => {
    const tag = (await link.call('POST', '/tag', { name: 'gone' })).json.id;
    const guest = await member(app, owner);
    const plain = await link.create();
    await link.schedule(plain.id, { add_tags: [tag] });
    await link.schedule(plain.id, { name: 'by a guest' }, { key: guest.key, after: minuteLength + 1 });
    await link.schedule(plain.id, { external_id: 'one of a kind' }, { after: minuteLength + 2 });
    await link.schedule(plain.id, { expiration_date: '2030-01-01' }, { after: minuteLength + 3 });
    await link.schedule(plain.id, { disabled: true }, { after: minuteLength + 4 });
    const deleted = await link.create();
    await link.schedule(deleted.id, { name: 'too late' });
    await link.call('DELETE', `/tag/${tag}`);
    await link.call('DELETE', `/member/${guest.userId}`);
    await link.create({ external_id: 'one of a kind' });
    await link.call('PATCH', `/link/${plain.id}`, { start_date: '2031-01-01', on_paper: true });
    await link.call('DELETE', `/link/${deleted.id}`);
    const before = await link.read(plain.id);

    link.advance(2 * minuteLength);
    const changes = await link.done(plain.id, 5);
    const reasons = changes.map(({ refusal }) => [refusal?.error_code, refusal?.field_key]).reverse();
    expect(reasons).toEqual([
      ['TAG_NOT_FOUND', 'add_tags'],
      ['FORBIDDEN', null],
      ['EXTERNAL_ID_TAKEN', 'external_id'],
      ['RANGE_REVERSED', 'expiration_date'],
      ['LINK_ON_PAPER', 'confirm'],
    ]);
    expect(changes.at(-2)).toMatchObject({ status: 'refused', by: null });
    expect(await link.read(plain.id)).toEqual(before);
    const entries = (await link.history(plain.id)).slice(0, 5);
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(Array(5).fill('not_applied'));
    expect(entries[0]).toMatchObject({ scheduled: changes[0]?.id, refusal: { error_code: 'LINK_ON_PAPER' } });

    // It was due while the link was deleted.
    await pollUntil(
      async () => {
        await link.call('POST', '/link/restore', { ids: [deleted.id] });
        const [change] = await link.listed(deleted.id);
        if (change?.status === 'open') await link.call('DELETE', `/link/${deleted.id}`);
        return change;
      },
      (change) => change?.refusal?.error_code === 'NOT_FOUND',
      'the change of a deleted link',
    );
    expect(await link.read(deleted.id)).toMatchObject({ name: null });
  });

  test('can be changed and withdrawn until they are applied', async () => {
    const { id } = await link.create();
    const change = (await link.schedule(id, { name: 'first' })).json;
    const path = `/scheduled_change/${change.id}`;
    const rescheduled = await link.call('PATCH', path, { at: link.inFuture(3 * minuteLength) });
    expect([rescheduled.status, rescheduled.json.changes]).toEqual([200, { name: 'first' }]);
    const other = await link.call('PATCH', path, { changes: { notes: 'second' } });
    expect([other.json.at, other.json.changes]).toEqual([rescheduled.json.at, { notes: 'second' }]);
    expect(refused(await link.call('PATCH', path, { changes: { nothing: 1 } }))).toEqual([
      ...[400, 'FIELD_UNKNOWN', 'changes.nothing'],
    ]);
    const withdrawn = (await link.schedule(id, { name: 'withdrawn' })).json;
    expect((await link.call('DELETE', `/scheduled_change/${withdrawn.id}`)).status).toBe(204);
    expect((await link.call('DELETE', `/scheduled_change/${withdrawn.id}`)).status).toBe(404);
    link.advance(2 * minuteLength);
    const late = (await link.schedule(id, { external_id: 'taken by then' }, { after: minuteLength })).json;
    await link.create({ external_id: 'taken by then' });
    link.advance(minuteLength);
    expect((await link.done(id, 2)).map(({ status }) => status).sort()).toEqual(['applied', 'refused']);
    expect(await link.read(id)).toMatchObject({ name: null, notes: 'second' });
    for (const method of ['PATCH', 'DELETE']) {
      const response = await link.call(
        method,
        path,
        method === 'PATCH' ? { changes: { name: 'x' } } : undefined,
      );
      expect(refused(response)).toEqual([409, 'SCHEDULED_APPLIED', undefined]);
    }
    // A refused change with a new time is open again, and is made then.
    const again = { at: link.inFuture(minuteLength), changes: { external_id: 'free' } };
    expect((await link.call('PATCH', `/scheduled_change/${late.id}`, again)).json).toMatchObject({
      ...{ status: 'open', refusal: null, done_at: null },
    });
    link.advance(minuteLength);
    await link.done(id, 2);
    expect((await link.read(id)).external_id).toBe('free');
  });

  onOneStore(store, () => {
    test('are refused as a PATCH would be, with the field in "changes"', async () => {
      const { id } = await link.create({ start_date: '2030-06-01' });
      const at = async (instant: unknown) =>
        refused(await link.call('POST', `/link/${id}/scheduled`, { at: instant, changes: { name: 'x' } }));
      const wrongAt = [400, 'FIELD_INVALID', 'at'];
      expect(await at('tomorrow')).toEqual(wrongAt);
      expect(await at(link.inFuture(0))).toEqual(wrongAt);
      expect(await at(link.inFuture(367 * dayLength))).toEqual(wrongAt);
      for (const [changes, code, field] of [
        [{}, 'FIELD_MISSING', 'changes'],
        [{ destination_url: 'javascript:alert(1)' }, 'DESTINATION_INVALID', 'changes.destination_url'],
        [{ destination_url: `${app.url}/x` }, 'DESTINATION_IS_OURS', 'changes.destination_url'],
        [{ rules: [{ when: { country: ['Q1'] } }] }, 'FIELD_INVALID', 'changes.rules.0.when.country.0'],
        [{ suffix: 'two words' }, 'SUFFIX_INVALID', 'changes.suffix'],
        [{ password: 'sesame' }, 'FIELD_INVALID', 'changes.password'],
        [{ webhook_auth_key: 'a key' }, 'FIELD_INVALID', 'changes.webhook_auth_key'],
        [{ expiration_date: '2030-05-01' }, 'RANGE_REVERSED', 'changes.expiration_date'],
        [{ add_tags: [987654321] }, 'TAG_NOT_FOUND', 'changes.add_tags'],
      ] as const)
        expect([changes, ...refused(await link.schedule(id, changes))]).toEqual([changes, 400, code, field]);
      expect((await link.schedule(id, { password: null })).status).toBe(201);
      expect(JSON.stringify(await link.listed(id))).not.toContain('sesame');
      // Also after another one, which may change only what is not in these.
      const colours = { qr_code_foreground_hex: '#123456', qr_code_background_hex: '#123456' };
      for (const [changes, code, field] of [
        [{ start_date: '2030-07-01', expiration_date: '2030-07-01' }, 'RANGE_REVERSED', 'changes.start_date'],
        [colours, 'COLOURS_EQUAL', 'changes.qr_code_foreground_hex'],
      ] as const)
        expect(refused(await link.schedule(id, changes))).toEqual([400, code, field]);
      expect((await link.schedule(id, { expiration_date: '2030-05-01' })).status).toBe(201);
    });
  });

  test('are limited to twenty per link, even if sent at once; a link in print needs confirmation', async () => {
    const { id } = await link.create({ on_paper: true });
    const responses = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        link.schedule(id, { name: String(index) }, { after: dayLength }),
      ),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(20);
    const [first] = responses.filter(({ status }) => status !== 201);
    expect(first && refused(first)).toEqual([409, 'TOO_MANY_SCHEDULED', undefined]);
    expect(await link.listed(id)).toHaveLength(20);

    const printed = await link.create({ on_paper: true });
    expect(refused(await link.schedule(printed.id, { disabled: true }))).toEqual([
      ...[409, 'LINK_ON_PAPER', 'confirm'],
    ]);
    expect((await link.schedule(printed.id, { disabled: true }, { query: '?confirm=true' })).status).toBe(
      201,
    );
    link.advance(minuteLength);
    expect(await link.done(printed.id)).toMatchObject([{ status: 'applied' }]);
  });

  test('that are due are listed in pages by their instant, even if many share one', async () => {
    const { database } = app.app.context;
    const { id } = await link.create();
    const made: { readonly id: number }[] = [];
    for (const days of [3, 1, 2, 2, 2, 1])
      made.push((await link.schedule(id, { name: `after ${days}` }, { after: days * dayLength })).json);
    const found: number[] = [];
    let after = { at: 0, id: 0 };
    for (let pages = 0; pages < 100; pages++) {
      const page = await listDue(database.lookup, app.clock.now + 2.5 * dayLength, after, 2);
      const last = page.at(-1);
      if (last === undefined) break;
      found.push(...page.filter((change) => change.link_id === id).map((change) => change.id));
      after = last;
    }
    const inOrder = [1, 5, 2, 3, 4].map((index) => made[index]?.id ?? 0);
    expect(found).toEqual(inOrder);
    for (const change of made) await link.call('DELETE', `/scheduled_change/${change.id}`);
  });

  test('a call with the same Idempotency-Key schedules one change', async () => {
    const { id } = await link.create();
    const body = { at: link.inFuture(dayLength), changes: { name: 'once' } };
    const headers = { 'idempotency-key': `once-${store}` };
    const [one, other] = [0, 1].map(() => link.call('POST', `/link/${id}/scheduled`, body, { headers }));
    expect((await one)?.json).toEqual((await other)?.json);
    expect([(await one)?.json]).toEqual(await link.listed(id));
  });
});

test('a scheduled change that came due while the program was stopped is applied after its start', async () => {
  const before = await startApp();
  const owner = await before.createAccount();
  const link = calls([before], () => owner.key);
  const { id } = await link.create();
  await link.schedule(id, { name: 'after the start' });
  await before.app.stop();
  const after = await startApp({ env: { DATA_DIR: before.dataDir } });
  after.clock.now = before.clock.now + 2 * minuteLength;
  const again = calls([after], () => owner.key);
  expect(await again.done(id)).toMatchObject([{ status: 'applied' }]);
  expect((await again.read(id)).name).toBe('after the start');
  await after.stop();
  await rm(before.dataDir, { recursive: true, force: true });
});
