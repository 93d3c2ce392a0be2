import { beforeAll, describe, expect, test } from 'bun:test';
import { dayLength } from '../src/rules/durations.ts';
import { storeKinds, type TestAccount, type TestApp } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { browserHeadersOf, invite, member } from './support/members.ts';
import { proveEmails } from './support/proven-emails.ts';

/** Accepting an invitation moves a user to another organization, so each test has a new guest. */
const guests = new WeakMap<TestAccount, string>();

/** Creates the resource of a path parameter for its owner. A new resource without an entry here fails below. */
const makers: Record<string, (app: TestApp, owner: TestAccount) => Promise<number | string>> = {
  session: async (app, owner) => {
    await browserHeadersOf(app, owner);
    return (await app.call('GET', '/api/v1/session', { key: owner.key })).json[0].id;
  },
  link: async (app, { key }) =>
    (await app.call('POST', '/api/v1/link', { key, body: linkBody(app) })).json.id,
  '/api/v1/link/deleted/{id}': async (app, owner) => {
    const id = (await makers.link?.(app, owner)) ?? 0;
    await app.call('DELETE', `/api/v1/link/${id}`, { key: owner.key });
    return id;
  },
  tag: async (app, { key }) =>
    (await app.call('POST', '/api/v1/tag', { key, body: { name: crypto.randomUUID() } })).json.id,
  utm_template: async (app, { key }) =>
    (await app.call('POST', '/api/v1/utm_template', { key, body: { name: 'mine', utm_source: 'me' } })).json
      .id,
  domain: async (app, { key }) =>
    (await app.call('POST', '/api/v1/domain', { key, body: { domain: 'go.example.org' } })).json.id,
  api_key: async (app, { key }) =>
    (await app.call('POST', '/api/v1/api_key', { key, body: { name: 'mine' } })).json.id,
  invitation: async (app, { key }) =>
    (await app.call('POST', '/api/v1/invitation', { key, body: { email: 'guest@example.com' } })).json.id,
  member: async (app, owner) => (await member(app, owner)).userId,
  user: async (app, owner) => {
    const guest = await app.createAccount();
    guests.set(owner, guest.key);
    const host = await app.createAccount();
    return (await invite(app, host.key, guest.email)).json.id;
  },
  webhook_delivery: async (app, { key }) => {
    const link = (await app.call('POST', '/api/v1/link', { key, body: linkBody(app) })).json.id;
    return (await app.call('POST', `/api/v1/link/${link}/webhook_test`, { key })).json.id;
  },
  scheduled_change: async (app, owner) => {
    const link = await makers.link?.(app, owner);
    const path = `/api/v1/link/${link}/scheduled`;
    return (await app.call('POST', path, { key: owner.key, body: inADay(app) })).json.id;
  },
  zapier: async (app, owner) => {
    const key = await credentials.zapier?.(app, owner);
    const body = { target_url: `${app.url}/healthz` };
    const created = await app.call('POST', '/api/v1/zapier/hooks', { key, body });
    return created.json.id;
  },
};

/** Its webhook is the service itself: any answer will do. */
const linkBody = (app: TestApp) => ({
  destination_url: 'https://example.com',
  webhook_url: `${app.url}/healthz`,
});

const inADay = ({ clock }: Pick<TestApp, 'clock'>) => ({
  at: new Date(clock.now + dayLength).toISOString(),
  changes: { name: 'taken over' },
});

/** These ids are chosen by the caller, so every organization may use the same. */
const externalIdPath = '/api/v1/link/external/{external_id}';

/** The credentials of routes that don't use the API key of the owner: that of a guest, or of a link. */
const credentials: Record<string, (app: TestApp, account: TestAccount) => Promise<string>> = {
  user: async (_, account) => guests.get(account) ?? account.key,
  zapier: async (app, { key }) => {
    const { links } = (await app.call('GET', '/api/v1/link', { key })).json;
    if (links.length > 0) return links[0].zapier_key;
    return (await app.call('POST', '/api/v1/link', { key, body: linkBody(app) })).json.zapier_key;
  },
};

/** Bodies that succeed for the owner, so that a refusal can only be due to the organization. */
const bodies: Record<string, object> = {
  'PATCH link': { name: 'taken over' },
  'PATCH tag': { name: 'taken over' },
  'PATCH utm_template': { name: 'taken over' },
  'PATCH domain': { root_url: 'https://example.com/taken-over' },
  'POST domain': {},
  'POST /api/v1/link/{id}/history/restore': { entry: 0 },
  'POST /api/v1/link/{id}/explain': {},
  'POST /api/v1/link/{id}/scheduled': inADay({ clock: { now: Date.now() } }),
  'PATCH scheduled_change': { changes: { name: 'taken over' } },
  'PATCH member': { role: 'administrator' },
  'POST user': {},
  'POST /api/v1/link/{id}/webhook_test': {},
  'POST webhook_delivery': {},
  'PATCH /api/v1/link/{id}/clicks/reclassify': { class: 'flood', to_class: 'human' },
};

describe.each(storeKinds)('tenants on %s', (store) => {
  const { app, owner } = appWithOwner({ store });
  let stranger: TestAccount;

  beforeAll(async () => {
    stranger = await app.createAccount();
  });

  test('every documented path with an id returns 404 to another organization, without a change', async () => {
    const { paths } = (await app.call('GET', '/openapi.json')).json;
    const owned = Object.entries<Record<string, object>>(paths).filter(
      ([path]) => path.includes('{') && path !== externalIdPath,
    );
    expect(owned.length).toBeGreaterThan(3);
    for (const [path, methods] of owned) {
      const resource = path.split('/')[3] ?? '';
      const make = makers[path] ?? makers[resource];
      if (!make) throw new Error(`test/tenants.test.ts has no maker of a "${resource}" for ${path}`);
      const id = await make(app, owner);
      const keyOf = credentials[resource] ?? (async (_, { key }) => key);
      const [ownKey, foreignKey] = [await keyOf(app, owner), await keyOf(app, stranger)];
      await proveEmails(app);
      for (const method of Object.keys(methods).map((name) => name.toUpperCase())) {
        const body = bodies[`${method} ${path}`] ?? bodies[`${method} ${resource}`];
        if (body === undefined && ['POST', 'PATCH', 'PUT'].includes(method)) {
          throw new Error(`test/tenants.test.ts has no body for ${method} ${path}`);
        }
        const target = path.replace('{id}', String(id));
        const foreign = await app.call(method, target, { key: foreignKey, ...(body ? { body } : {}) });
        const missing = await app.call(method, path.replace('{id}', '123456789'), {
          key: foreignKey,
          ...(body ? { body } : {}),
        });
        expect([method, path, foreign.status]).toEqual([method, path, 404]);
        expect(foreign.json).toEqual(missing.json);
        const own = await app.call(method, target, { key: ownKey, ...(body ? { body } : {}) });
        expect([method, path, own.status < 300]).toEqual([method, path, true]);
      }
    }
  });

  test("an organization's external id identifies nothing in another organization", async () => {
    const path = externalIdPath.replace('{external_id}', 'order-1');
    const put = async (name: string, { key }: TestAccount) =>
      (await app.call('PUT', path, { key, body: { destination_url: 'https://example.com', name } })).json;
    const own = await put('mine', owner);
    expect((await app.call('GET', path, { key: stranger.key })).status).toBe(404);
    const theirs = await put('theirs', stranger);
    expect(theirs.id).not.toBe(own.id);
    expect((await app.call('GET', path, { key: owner.key })).json).toEqual(own);
    expect((await app.call('GET', path, { key: stranger.key })).json).toEqual(theirs);
  });

  test("another organization's tag can be neither added nor removed", async () => {
    const tag = (await makers.tag?.(app, { ...owner })) ?? 0;
    const link = await makers.link?.(app, stranger);
    const path = `/api/v1/link/${link}`;
    const put = await app.call('PATCH', path, { key: stranger.key, body: { add_tags: [tag] } });
    expect([put.status, put.json.error_code]).toEqual([400, 'TAG_NOT_FOUND']);
    // Removing a tag that isn't there succeeds without effect, as with a tag that never existed.
    const foreignTag = await app.call('PATCH', path, { key: stranger.key, body: { remove_tags: [tag] } });
    const unknownTag = await app.call('PATCH', path, {
      key: stranger.key,
      body: { remove_tags: [987654321] },
    });
    expect([foreignTag.status, foreignTag.json.tags]).toEqual([unknownTag.status, unknownTag.json.tags]);
    expect((await app.call('GET', `/api/v1/tag/${tag}`, { key: owner.key })).json.links).toBe(0);
  });

  test('lists contain nothing of other organizations', async () => {
    const newest = await app.createAccount();
    for (const [path, empty] of [
      ['/api/v1/link', { links: [], total_links: 0 }],
      ['/api/v1/link/deleted', { links: [], total_links: 0, next: null }],
      ['/api/v1/tag', []],
      ['/api/v1/utm_template', []],
      ['/api/v1/utm_values', { utm_source: [], utm_campaign: [] }],
      ['/api/v1/domain', []],
      ['/api/v1/clicks?class=all', { clicks: [], total_clicks: 0 }],
      ['/api/v1/clicks/corrections', { corrections: [] }],
      ['/api/v1/invitation', []],
      ['/api/v1/user/invitations', []],
    ] as const) {
      expect((await app.call('GET', path, { key: newest.key })).json).toMatchObject(empty);
    }
    expect((await app.call('GET', '/api/v1/api_key', { key: newest.key })).json).toHaveLength(1);
  });
});
