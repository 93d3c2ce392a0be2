import { beforeAll, describe, expect, test } from 'bun:test';
import { dayLength } from '../src/rules/durations.ts';
import { formatStamp } from '../src/rules/instant.ts';
import { storeKinds, type TestAccount } from './support/app.ts';
import { appForSuite } from './support/app-suite.ts';
import { browserHeadersOf, invite, member } from './support/members.ts';

describe.each(storeKinds)('members on %s', (store) => {
  // A stream notices with its next heartbeat that its member is removed.
  const app = appForSuite({ store, overrides: { heartbeat: 20 } });
  const as = (key: string) => ({
    user: async () => (await app.call('GET', '/api/v1/user', { key })).json,
    members: async () => (await app.call('GET', '/api/v1/member', { key })).json,
    setRole: (id: number, role: string) => app.call('PATCH', `/api/v1/member/${id}`, { key, body: { role } }),
    remove: (id: number) => app.call('DELETE', `/api/v1/member/${id}`, { key }),
    link: () => app.call('POST', '/api/v1/link', { key, body: { destination_url: 'example.com' } }),
    links: async () => (await app.call('GET', '/api/v1/link', { key })).json.total_links,
  });

  test('every member, and no other user, sees the members of the organization', async () => {
    const admin = await app.createAccount();
    const editor = await member(app, admin);
    const stranger = await app.createAccount();
    const list = await as(admin.key).members();
    expect(list).toEqual([
      {
        id: admin.userId,
        created_at: expect.any(String),
        joined_at: expect.any(String),
        email: admin.email,
        name: null,
        role: 'administrator',
      },
      {
        id: editor.userId,
        created_at: expect.any(String),
        joined_at: expect.any(String),
        email: editor.email,
        name: null,
        role: 'editor',
      },
    ]);
    expect(await as(editor.key).members()).toEqual(list);
    expect(await as(stranger.key).members()).toHaveLength(1);
  });

  test('a role changes at once, for existing sessions and keys', async () => {
    const admin = await app.createAccount();
    const editor = await member(app, admin);
    expect((await invite(app, editor.key, 'guest@example.com')).status).toBe(403);
    const promoted = await as(admin.key).setRole(editor.userId, 'administrator');
    expect([promoted.status, promoted.json.role]).toEqual([200, 'administrator']);
    expect((await invite(app, editor.key, 'guest@example.com')).status).toBe(201);
    expect((await as(editor.key).setRole(admin.userId, 'editor')).status).toBe(200);
    expect((await as(admin.key).setRole(editor.userId, 'editor')).status).toBe(403);
  });

  test('a member can be sent back with another role; invalid input is refused', async () => {
    const admin = await app.createAccount();
    const editor = await member(app, admin);
    const [, read] = await as(admin.key).members();
    const patch = (body: object) =>
      app.call('PATCH', `/api/v1/member/${editor.userId}`, { key: admin.key, body });
    expect((await patch({ ...read, role: 'administrator' })).json).toEqual({
      ...read,
      role: 'administrator',
    });
    for (const body of [{}, { role: 'owner' }, { role: null }, { role: 'editor', email_proven: 1 }])
      expect((await patch(body)).status).toBe(400);
  });

  test('the last administrator can be neither demoted nor removed by anyone', async () => {
    const admin = await app.createAccount();
    await member(app, admin);
    for (const response of [
      await as(admin.key).setRole(admin.userId, 'editor'),
      await as(admin.key).remove(admin.userId),
    ]) {
      expect([response.status, response.json.error_code]).toEqual([409, 'LAST_ADMINISTRATOR']);
    }
    expect((await as(admin.key).setRole(admin.userId, 'administrator')).status).toBe(200);
  });

  test('of two administrators who demote or remove each other at once, one remains', async () => {
    for (let round = 0; round < 4; round++) {
      const one = await app.createAccount();
      const other = await member(app, one, 'administrator');
      const responses = await Promise.all([
        round % 2 ? as(one.key).remove(other.userId) : as(one.key).setRole(other.userId, 'editor'),
        round % 3 ? as(other.key).remove(one.userId) : as(other.key).setRole(one.userId, 'editor'),
      ]);
      expect(responses.filter(({ status }) => status < 300)).toHaveLength(1);
      const users = await Promise.all([as(one.key), as(other.key)].map(({ user }) => user()));
      const administrators = users.filter(
        (user) => user.organization_id === one.organizationId && user.role === 'administrator',
      );
      expect(administrators).toHaveLength(1);
    }
  });

  test('a removed member continues with a new organization, and none of their credentials work for the old one', async () => {
    const admin = await app.createAccount();
    const editor = await member(app, admin);
    await as(editor.key).link();
    const pair = (
      await app.call('POST', '/api/v1/auth/create_tokens', {
        body: { email: editor.email, password: editor.password },
      })
    ).json;

    expect((await as(admin.key).remove(editor.userId)).status).toBe(204);

    for (const headers of [
      { 'api-key': editor.key },
      { cookie: editor.browserHeaders.cookie ?? '' },
      { authorization: `Bearer ${pair.access_token}` },
    ])
      expect((await app.call('GET', '/api/v1/link', { headers })).status).toBe(401);
    const refresh = { authorization: `Bearer ${pair.refresh_token}` };
    expect((await app.call('GET', '/api/v1/auth/refresh_access_token', { headers: refresh })).status).toBe(
      401,
    );

    const browser = await browserHeadersOf(app, editor);
    const user = (await app.call('GET', '/api/v1/user', { headers: browser })).json;
    expect(user).toMatchObject({ id: editor.userId, role: 'administrator', organization_name: editor.email });
    expect(user.organization_id).not.toBe(admin.organizationId);
    expect((await app.call('GET', '/api/v1/api_key', { headers: browser })).json).toEqual([]);
    expect((await app.call('GET', '/api/v1/link', { headers: browser })).json.total_links).toBe(0);
    expect(await as(admin.key).links()).toBe(1);
    expect(await as(admin.key).members()).toHaveLength(1);
    expect((await as(admin.key).remove(editor.userId)).status).toBe(404);
  });

  test("a member who returns is one since then, and the keys from before don't become valid again", async () => {
    const admin = await app.createAccount();
    const editor = await member(app, admin);
    const created_at = formatStamp(app.clock.now);
    expect((await as(admin.key).members()).at(-1)).toMatchObject({ created_at, joined_at: created_at });
    app.clock.now += dayLength;
    await as(admin.key).remove(editor.userId);
    const { json: invitation } = await invite(app, admin.key, editor.email);
    const browser = await browserHeadersOf(app, editor);
    const userId = editor.userId;
    const ofItsOwn = (await app.call('GET', '/api/v1/member', { headers: browser })).json;
    expect(ofItsOwn).toMatchObject([{ id: userId, joined_at: formatStamp(app.clock.now) }]);
    app.clock.now += dayLength;
    const accepted = await app.call('POST', '/api/v1/invitation/accept', {
      headers: browser,
      body: { token: invitation.token },
    });
    expect([accepted.status, accepted.json.organization_id]).toEqual([200, admin.organizationId]);
    const joined_at = formatStamp(app.clock.now);
    expect((await as(admin.key).members()).at(-1)).toMatchObject({ id: userId, joined_at });
    app.clock.now += dayLength;
    expect((await as(admin.key).setRole(userId, 'administrator')).json).toMatchObject({ joined_at });
    expect((await app.call('GET', '/api/v1/link', { key: editor.key })).status).toBe(401);
  });

  test('an administrator may remove themselves while another one remains', async () => {
    const one = await app.createAccount();
    const other = await member(app, one, 'administrator');
    expect((await as(one.key).remove(one.userId)).status).toBe(204);
    expect((await as(other.key).members()).map(({ id }: { id: number }) => id)).toEqual([other.userId]);
  });

  test('invitations are withdrawn when their sender may no longer invite', async () => {
    const admin = await app.createAccount();
    const invitations = async () =>
      (await app.call('GET', '/api/v1/invitation', { key: admin.key })).json.map(
        ({ email }: { email: string }) => email,
      );
    await invite(app, admin.key, 'stays@example.com');
    const demoted = await member(app, admin, 'administrator');
    const token = (await invite(app, demoted.key, 'backdoor@example.com')).json.token;
    await as(admin.key).setRole(demoted.userId, 'editor');
    expect(await invitations()).toEqual(['stays@example.com']);
    const body = { email: 'backdoor@example.com', password: 'a long enough one', invitation_token: token };
    expect((await app.call('POST', '/api/v1/user', { body })).status).toBe(403);

    const removed = await member(app, admin, 'administrator');
    await invite(app, removed.key, 'backdoor@example.com');
    await as(admin.key).remove(removed.userId);
    expect(await invitations()).toEqual(['stays@example.com']);
  });

  test('a live stream ends when its member is removed', async () => {
    const admin = await app.createAccount();
    const editor = await member(app, admin);
    const { cookie = '' } = editor.browserHeaders;
    const stream = await fetch(`${app.url}/api/v1/clicks/live`, { headers: { cookie } });
    expect(stream.status).toBe(200);
    const ended = stream.text();
    await app.call('DELETE', `/api/v1/member/${editor.userId}`, { key: admin.key });
    expect(await ended).toStartWith(': Linnet');
  });
});

/** Every route that needs a permission, and whether an editor has it. A new route without an entry fails below. */
const forEditors: Record<string, boolean> = {
  'GET /api/v1/member': true,
  'PATCH /api/v1/member/{id}': false,
  'DELETE /api/v1/member/{id}': false,
  'GET /api/v1/invitation': false,
  'POST /api/v1/invitation': false,
  'DELETE /api/v1/invitation/{id}': false,
  'POST /api/v1/invitation/accept': true,
  'GET /api/v1/organization': true,
  'PATCH /api/v1/organization': false,
  'DELETE /api/v1/clicks': false,
  'DELETE /api/v1/link/{id}/clicks': false,
  'GET /api/v1/instance/health': false,
  'GET /api/v1/instance/node': false,
};

describe('rights of each role', () => {
  const app = appForSuite();
  let admin: TestAccount;
  beforeAll(async () => {
    admin = await app.createAccount();
  });

  test('every documented route allows an administrator, and an editor except for managing members', async () => {
    const editor = await member(app, admin);
    const { paths } = (await app.call('GET', '/openapi.json')).json;
    const routes = Object.entries<Record<string, { security: object[] }>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([name, { security }]) => ({
        path,
        method: name.toUpperCase(),
        needsCredential: security.length > 0,
      })),
    );
    expect(routes.length).toBeGreaterThan(40);
    const wrong: string[] = [];
    for (const { path, method, needsCredential } of routes) {
      const name = `${method} ${path}`;
      const isAboutMembers = /\/(member|invitation|organization)\b/.test(path) && needsCredential;
      if (isAboutMembers && forEditors[name] === undefined)
        throw new Error(`test/api-members.test.ts does not say who may ${name}`);
      // Skips calls that would end the credential, and the stream, which doesn't end.
      if (!needsCredential || /zapier|live|sign_out|\/session$/.test(path)) continue;
      for (const [role, key] of [
        ['administrator', admin.key],
        ['editor', editor.key],
      ] as const) {
        const { json, status } = await app.call(method, path.replace('{id}', '987654321'), {
          key,
          ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }),
        });
        const isForbidden = status === 403 && json.error_code === 'FORBIDDEN';
        const isAllowed = role === 'administrator' || forEditors[name] !== false;
        if (isForbidden === isAllowed) wrong.push(`${role} ${name}: ${status}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
