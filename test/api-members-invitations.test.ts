import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { DeletedOrganizations } from '../src/manage/accounts/clear-organizations.ts';
import { cleanUp } from '../src/manage/clean-up.ts';
import { dayLength } from '../src/rules/durations.ts';
import { withdrawInvitations } from '../src/storage/accounts/invitations.ts';
import { setRole } from '../src/storage/accounts/members.ts';
import { findOrganization, lockOrganizations } from '../src/storage/accounts/organizations.ts';
import { insertUser } from '../src/storage/accounts/users.ts';
import type { Queries } from '../src/storage/schema.ts';
import { listTemplates } from '../src/storage/utm-templates.ts';
import { storeKinds, type TestAccount, type TestApp, type TestResponse } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';
import { browserHeadersOf, invite, member } from './support/members.ts';
import { proveEmails } from './support/proven-emails.ts';

describe.each(storeKinds)('invitations on %s', (store) => {
  // A stream notices with its next heartbeat that its organization is another one.
  const app = appForSuite({ store, overrides: { heartbeat: 20 } });
  const post = (path: string, key: string | undefined, body?: object) =>
    app.call('POST', `/api/v1${path}`, { key, ...(body ? { body } : {}) });
  const get = async (path: string, key: string) => (await app.call('GET', `/api/v1${path}`, { key })).json;
  const received = (key: string) => get('/user/invitations', key);
  const accept = (key: string, id: number) => post(`/user/invitations/${id}/accept`, key);
  /** An invitation from a new account to an existing user, whose address is proven. */
  const invited = async (guest: TestAccount, role = 'editor') => {
    const host = await app.createAccount();
    await proveEmails(app);
    return { host, ...(await invite(app, host.key, guest.email, role)).json };
  };
  /** A token for calls after the membership ends, which makes API keys invalid. */
  const tokenOf = async ({ email, password }: TestAccount) =>
    (await post('/auth/create_tokens', undefined, { email, password })).json.access_token as string;

  test('an invitation contains the URL of its page; without a mail server it is not sent', async () => {
    const { key } = await app.createAccount();
    const { status, json } = await invite(app, key, 'guest@example.com', 'administrator');
    expect(status).toBe(201);
    expect(json.token).toMatch(/^lni_[0-9A-Za-z]{32}$/);
    expect(json.url).toBe(`${app.url}/invitation/${json.token}`);
    expect(json.sent).toBe(false);
    const [listed] = await get('/invitation', key);
    expect(Object.keys(listed).sort()).toEqual(['created_at', 'email', 'expires_at', 'id', 'role']);
  });

  test('a client with the link can preview the invitation without signing in', async () => {
    const host = await app.createAccount();
    await app.call('PATCH', '/api/v1/user', { key: host.key, body: { name: 'Ada' } });
    await app.call('PATCH', '/api/v1/organization', { key: host.key, body: { name: 'Engines' } });
    const preview = async (token: string) => post('/invitation/preview', undefined, { token });
    const { json } = await invite(app, host.key, 'New@Example.com');
    const seen = await preview(json.token);
    expect([seen.status, seen.json]).toEqual([
      200,
      {
        organization_id: host.organizationId,
        organization_name: 'Engines',
        email: 'new@example.com',
        role: 'editor',
        invited_by: 'Ada',
        expires_at: json.expires_at,
        has_account: false,
      },
    ]);
    const known = await app.createAccount();
    const second = (await invite(app, host.key, known.email)).json;
    expect((await preview(second.token)).json.has_account).toBe(true);

    for (const token of ['', 'lni_', `${json.token}x`, 'x'.repeat(200), json.token.toLowerCase()])
      expect((await preview(token)).json.error_code).toBe('INVITATION_INVALID');
    await app.call('DELETE', `/api/v1/invitation/${second.id}`, { key: host.key });
    expect((await preview(second.token)).status).toBe(403);
    app.clock.now += 14 * dayLength;
    expect((await preview(json.token)).status).toBe(403);
  });

  test('a user with an account sees the invitation, accepts, and can work there', async () => {
    const guest = await app.createAccount();
    const { host, id } = await invited(guest, 'administrator');
    expect(await received(guest.key)).toEqual([
      {
        id,
        created_at: expect.any(String),
        organization_id: host.organizationId,
        organization_name: host.email,
        role: 'administrator',
        invited_by: host.email,
        expires_at: expect.any(String),
      },
    ]);
    const token = await tokenOf(guest);
    const { status, json } = await accept(token, id);
    expect([status, json.organization_id, json.role, json.id]).toEqual([
      200,
      host.organizationId,
      'administrator',
      guest.userId,
    ]);
    expect(json).toEqual(await get('/user', token));
    expect(await received(token)).toEqual([]);
    expect(await get('/invitation', host.key)).toEqual([]);
    expect((await post('/link', token, { destination_url: 'example.com' })).json.organization_id).toBe(
      host.organizationId,
    );
    expect((await accept(token, id)).status).toBe(404);
  });

  test('keys of the previous organization become invalid; sessions and tokens stay valid', async () => {
    const guest = await app.createAccount();
    const token = await tokenOf(guest);
    const { id } = await invited(guest);
    expect((await accept(guest.key, id)).status).toBe(200);
    expect((await app.call('GET', '/api/v1/user', { key: guest.key })).status).toBe(401);
    expect(await get('/api_key', token)).toEqual([]);
  });

  test('a live stream of the previous organization ends', async () => {
    const [host, guest] = [await app.createAccount(), await app.createAccount()];
    const browser = await browserHeadersOf(app, guest);
    const stream = await fetch(`${app.url}/api/v1/clicks/live`, { headers: { cookie: browser.cookie } });
    const ended = stream.text();
    const { id } = (await invite(app, host.key, guest.email)).json;
    await proveEmails(app);
    const accepted = await app.call('POST', `/api/v1/user/invitations/${id}/accept`, {
      headers: browser,
    });
    expect(accepted.status).toBe(200);
    expect(await ended).toStartWith(': Linnet');
  });

  test('an invitation is declined permanently', async () => {
    const guest = await app.createAccount();
    const { id, token, host } = await invited(guest);
    expect((await post(`/user/invitations/${id}/decline`, guest.key)).status).toBe(204);
    expect(await received(guest.key)).toEqual([]);
    expect(await get('/invitation', host.key)).toEqual([]);
    expect((await post('/invitation/accept', guest.key, { token })).json.error_code).toBe(
      'INVITATION_INVALID',
    );
    expect((await post(`/user/invitations/${id}/decline`, guest.key)).status).toBe(404);
  });

  test('no other user sees, accepts or declines an invitation to an address, even with its link', async () => {
    const [guest, other] = [await app.createAccount(), await app.createAccount()];
    const { id, token, host } = await invited(guest);
    expect(await received(other.key)).toEqual([]);
    expect((await accept(other.key, id)).status).toBe(404);
    expect((await post(`/user/invitations/${id}/decline`, other.key)).status).toBe(404);
    const { status, json } = await post('/invitation/accept', other.key, { token });
    expect([status, json.error_code]).toEqual([403, 'INVITATION_INVALID']);
    expect(json.error_string).toContain(guest.email);
    expect(await get('/invitation', host.key)).toHaveLength(1);
    expect((await post('/invitation/accept', guest.key, { token })).status).toBe(200);
  });

  test("an expired or withdrawn invitation doesn't exist any more", async () => {
    const guest = await app.createAccount();
    const { id, token } = await invited(guest);
    const withdrawn = await invited(guest);
    await app.call('DELETE', `/api/v1/invitation/${withdrawn.id}`, { key: withdrawn.host.key });
    expect((await accept(guest.key, withdrawn.id)).status).toBe(404);
    app.clock.now += 14 * dayLength;
    expect(await received(guest.key)).toEqual([]);
    expect((await accept(guest.key, id)).status).toBe(404);
    expect((await post('/invitation/accept', guest.key, { token })).status).toBe(403);
  });

  test('an expired invitation is not outstanding, and its address is not kept', async () => {
    const administrator = await app.createAccount();
    const { json: expired } = await invite(app, administrator.key, 'never@example.com');
    app.clock.now += 13 * dayLength;
    const { json: open } = await invite(app, administrator.key, 'soon@example.com');
    const listed = async () =>
      (await get('/invitation', administrator.key)).map(({ id }: { id: number }) => id);
    app.clock.now += dayLength - 1;
    await cleanUp(app.app.context);
    expect(await listed()).toEqual([open.id, expired.id]);
    app.clock.now += 1;
    expect(await listed()).toEqual([open.id]);
    await cleanUp(app.app.context);
    const kept = app.app.context.database.read.selectFrom('invitations').where('id', '=', expired.id);
    expect(await kept.select('id').execute()).toEqual([]);
  });

  test('members are not invited again', async () => {
    const admin = await app.createAccount();
    const editor = await member(app, admin);
    const { status, json } = await invite(app, admin.key, editor.email.toUpperCase());
    expect([status, json.error_code, json.field_key]).toEqual([409, 'ALREADY_MEMBER', 'email']);
  });

  test('of many simultaneous acceptances of one invitation, one succeeds', async () => {
    const guest = await app.createAccount();
    const token = await tokenOf(guest);
    const { id, host } = await invited(guest);
    const responses = await Promise.all(Array.from({ length: 6 }, () => accept(token, id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404]);
    expect(await get('/member', host.key)).toHaveLength(2);
  });

  describe('a user who already belongs to an organization', () => {
    const refusal = async (key: string, id: number) => {
      const { status, json } = await accept(key, id);
      expect([status, json.error_code]).toEqual([409, 'ORGANIZATION_IN_USE']);
      return json.error_string as string;
    };

    test('keeps one that has links, tags or domains, and gets an error that says what to do', async () => {
      const guest = await app.createAccount();
      await app.call('PATCH', '/api/v1/organization', { key: guest.key, body: { name: 'Mine' } });
      const { id, host } = await invited(guest);
      const link = (await post('/link', guest.key, { destination_url: 'example.com' })).json;
      expect(await refusal(guest.key, id)).toStartWith('"Mine" has 1 link, and nobody else');
      const tag = (await post('/tag', guest.key, { name: 'news' })).json;
      await post('/link', guest.key, { destination_url: 'example.com' });
      const domain = (await post('/domain', guest.key, { domain: `guest-${store}.example.com` })).json;
      expect(await refusal(guest.key, id)).toStartWith('"Mine" has 2 links, 1 domain and 1 tag, and');
      expect(await get('/invitation', host.key)).toHaveLength(1);
      expect((await get('/user', guest.key)).organization_id).toBe(guest.organizationId);

      for (const each of (await get('/link', guest.key)).links)
        await app.call('DELETE', `/api/v1/link/${each.id}`, { key: guest.key });
      expect(link.id).toBeGreaterThan(0);
      await app.call('DELETE', `/api/v1/domain/${domain.id}`, { key: guest.key });
      await app.call('DELETE', `/api/v1/tag/${tag.id}`, { key: guest.key });
      expect((await accept(guest.key, id)).json.organization_id).toBe(host.organizationId);
    });

    test('stays while they are the only administrator of other members', async () => {
      const admin = await app.createAccount();
      const editor = await member(app, admin);
      const token = await tokenOf(admin);
      const { id } = await invited(admin);
      expect(await refusal(token, id)).toContain('only administrator');
      await app.call('PATCH', `/api/v1/member/${editor.userId}`, {
        key: token,
        body: { role: 'administrator' },
      });
      expect(await refusal(token, id)).toContain('Make yourself an editor there first');
      await app.call('PATCH', `/api/v1/member/${admin.userId}`, { key: token, body: { role: 'editor' } });
      expect((await accept(token, id)).status).toBe(200);
      expect(await get('/member', editor.key)).toHaveLength(1);
    });

    test('may leave as an editor, and their links stay', async () => {
      const admin = await app.createAccount();
      const editor = await member(app, admin);
      await post('/link', editor.key, { destination_url: 'example.com' });
      const { id, host } = await invited(editor);
      const { status, json } = await accept(editor.key, id);
      expect([status, json.organization_id]).toEqual([200, host.organizationId]);
      expect((await get('/link', admin.key)).total_links).toBe(1);
      expect(await get('/member', admin.key)).toHaveLength(1);
    });

    test('leaves an empty organization, whose invitations are withdrawn', async () => {
      const guest = await app.createAccount();
      const orphan = (await invite(app, guest.key, `orphan-${store}@example.com`)).json;
      const { id } = await invited(guest);
      expect((await accept(guest.key, id)).status).toBe(200);
      const body = {
        email: `orphan-${store}@example.com`,
        password: 'a long enough one',
        invitation_token: orphan.token,
      };
      expect((await app.call('POST', '/api/v1/user', { body })).status).toBe(403);
    });

    test('leaves nothing of an organization of their own', async () => {
      const guest = await app.createAccount();
      await post('/utm_template', guest.key, { name: 'Newsletter', utm_source: 'newsletter' });
      const link = await app.createLink(guest);
      await app.call('DELETE', `/api/v1/link/${link.id}`, { key: guest.key });
      await app.call('DELETE', `/api/v1/link/deleted/${link.id}`, { key: guest.key });
      const { id } = await invited(guest);
      expect((await accept(guest.key, id)).status).toBe(200);
      const { context } = app.app;
      const { read } = context.database;
      const { organizationId } = guest;
      // It is there until the link's suffix is free.
      expect(await findOrganization(read, organizationId)).toMatchObject({ name: '' });
      await eventually(async () => {
        await new DeletedOrganizations(context).clear();
        return (await listTemplates(read, organizationId)).length === 0;
      }, 'the end of its templates');
      app.clock.now += 31 * dayLength;
      await cleanUp(context);
      await eventually(async () => {
        await new DeletedOrganizations(context).clear();
        return (await findOrganization(read, organizationId)) === undefined;
      }, 'the end of the organization');
    });

    test('stays in it if they were invited there before joining', async () => {
      const admin = await app.createAccount();
      const editor = await member(app, admin);
      const { database } = app.app.context;
      const before = (await invite(app, admin.key, `later-${store}@example.com`, 'administrator')).json;
      await database.write(async (queries) => {
        await queries
          .updateTable('invitations')
          .set({ email: editor.email })
          .where('id', '=', before.id)
          .execute();
      });
      await proveEmails(app);
      const { status, json } = await accept(editor.key, before.id);
      expect([status, json.role]).toEqual([200, 'editor']);
      expect((await app.call('GET', '/api/v1/user', { key: editor.key })).status).toBe(200);
    });
  });
});

/**
 * Members who join and leave at the same time must see each other's change, or an organization could be left without an
 * administrator. SQLite has one writer, so nothing can happen in between there.
 */
describe('simultaneous joining and leaving on postgres', () => {
  /** Locks the organization until the call waits for it, then runs `meanwhile` and unlocks. */
  async function whileLocked(
    app: TestApp,
    organizationId: number,
    call: () => Promise<TestResponse>,
    meanwhile: (queries: Queries) => Promise<void>,
  ): Promise<TestResponse> {
    let calling: Promise<TestResponse> | undefined;
    let isDone = false;
    await app.app.context.database.write(async (queries) => {
      await lockOrganizations(queries, [organizationId]);
      calling ??= call().finally(() => {
        isDone = true;
      });
      const waiting = sql<{ count: number }>`select count(*) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      const isWaiting = async () =>
        (await waiting.execute(app.app.context.database.read)).rows[0]?.count !== 0;
      await eventually(async () => isDone || (await isWaiting()), 'the call to wait for the lock');
      expect(isDone).toBe(false);
      await meanwhile(queries);
    });
    if (!calling) throw new Error('nothing was called');
    return calling;
  }

  const app = appForSuite({ store: 'postgres' });

  test('an invitation is withdrawn for a user who signs up by it after its sender has left', async () => {
    const leaving = await app.createAccount();
    const { token } = (await invite(app, leaving.key, 'joins@example.com')).json;
    const body = { email: 'joins@example.com', password: 'a long enough one', invitation_token: token };
    const { status } = await whileLocked(
      app,
      leaving.organizationId,
      () => app.call('POST', '/api/v1/user', { body }),
      (queries) =>
        withdrawInvitations(queries, { invited_by: leaving.userId, organization_id: leaving.organizationId }),
    );
    expect(status).toBe(403);
  });

  test('the call of a leaving user sees a member who has just joined', async () => {
    const [host, leaving] = [await app.createAccount(), await app.createAccount()];
    const { id } = (await invite(app, host.key, leaving.email)).json;
    await proveEmails(app);
    const { status, json } = await whileLocked(
      app,
      leaving.organizationId,
      () => app.call('POST', `/api/v1/user/invitations/${id}/accept`, { key: leaving.key }),
      async (queries) => {
        await insertUser(queries, {
          created_at: app.clock.now,
          email: 'joined@example.com',
          name: null,
          password_hash: '',
          organization_id: leaving.organizationId,
          role: 'editor',
        });
      },
    );
    expect([status, json.error_code]).toEqual([409, 'ORGANIZATION_IN_USE']);
  });

  test('a user who is demoted while inviting creates no invitation', async () => {
    const administrator = await app.createAccount();
    const { status, json } = await whileLocked(
      app,
      administrator.organizationId,
      () => invite(app, administrator.key, 'late@example.com', 'administrator'),
      (queries) => setRole(queries, administrator.userId, 'editor', app.clock.now),
    );
    expect([status, json.error_code]).toEqual([403, 'FORBIDDEN']);
  });
});
