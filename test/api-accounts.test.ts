import { describe, expect, test } from 'bun:test';
import { dayLength } from '../src/rules/durations.ts';
import { onOneStore, startApp, storeKinds, type TestApp } from './support/app.ts';
import { appForSuite, appWithOwner } from './support/app-suite.ts';

const password = 'a long enough one';
const register = (app: TestApp, body: object, headers: Record<string, string> = {}) =>
  app.call('POST', '/api/v1/user', { body: { password, ...body }, headers });

async function withApp(options: Parameters<typeof startApp>[0], work: (app: TestApp) => Promise<void>) {
  const app = await startApp(options);
  try {
    await work(app);
    expect(app.faults).toEqual([]);
  } finally {
    await app.stop();
  }
}

const closed = { env: { REGISTRATION: 'closed' } };

describe.each(storeKinds)('accounts on %s', (store) => {
  const app = appForSuite({ store });

  test.each([
    ['bob@exämple.com', 'bob@xn--exmple-cua.com', 'bob@exämple.com'],
    // In letters it looks like another one, so it stays in ASCII.
    ['bob@рос.example', 'bob@xn--n1ade.example', 'bob@xn--n1ade.example'],
  ])(
    '%s has one account, however its domain is written, also one of an earlier version',
    async (letters, ascii, shown) => {
      const signIn = (email: string) =>
        app.call('POST', '/api/v1/session', { body: { email, password } }).then(({ status }) => status);
      const created = await register(app, { email: ascii });
      expect([created.status, created.json.email]).toEqual([201, shown]);
      const { write } = app.app.context.database;
      for (const stored of [letters, ascii]) {
        await write((queries) =>
          queries.updateTable('users').set({ email: stored }).where('id', '=', created.json.id).execute(),
        );
        expect([await signIn(letters), await signIn(ascii)]).toEqual([201, 201]);
        const again = await Promise.all([letters, ascii].map((email) => register(app, { email })));
        expect(again.map(({ json }) => json.error_code)).toEqual(['EMAIL_TAKEN', 'EMAIL_TAKEN']);
      }
    },
  );

  test('an address has one account, ignoring case, even if two are created at once', async () => {
    await register(app, { email: 'first@example.com' });
    const responses = await Promise.all([
      register(app, { email: 'same@example.com' }),
      register(app, { email: 'SAME@example.com' }),
    ]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409]);
    const refused = responses.find(({ status }) => status === 409);
    expect(refused?.json).toMatchObject({ error_code: 'EMAIL_TAKEN', field_key: 'email' });
  });

  onOneStore(store, () => {
    test('names are trimmed, and blank ones count as not sent', async () => {
      const namesOf = async (body: object) => {
        const { status, json } = await register(app, {
          email: `${crypto.randomUUID()}@example.com`,
          ...body,
        });
        return [status, json.name, json.organization_name];
      };
      const blank = { name: ' \t ', organization_name: '   ' };
      expect(await namesOf({ ...blank, email: 'blank@example.com' })).toEqual([
        201,
        null,
        'blank@example.com',
      ]);
      expect(await namesOf({ ...blank, name: ' Ada ' })).toEqual([201, 'Ada', 'Ada']);
      expect(await namesOf({ organization_name: ' Engines ' })).toEqual([201, null, 'Engines']);
      const invisible = { name: '\u200b', organization_name: '\u2060 \ufeff' };
      expect(await namesOf({ ...invisible, email: 'unseen@example.com' })).toEqual([
        201,
        null,
        'unseen@example.com',
      ]);
      expect(await namesOf({ ...invisible, name: '\ufeffAda\u200b' })).toEqual([201, 'Ada', 'Ada']);
    });

    test('an address with an invisible character is refused', async () => {
      const { status, json } = await register(app, { email: 'x\u200b@example.com' });
      expect([status, json.field_key, json.error_string]).toEqual([
        400,
        'email',
        'This is not an email address. Give one such as ada@example.com.',
      ]);
    });

    test('a password has 8 to 256 characters, an email address 254 at most', async () => {
      const problemWith = async (body: object) => {
        const { status, json } = await register(app, {
          email: `${crypto.randomUUID()}@example.com`,
          ...body,
        });
        return status === 201 ? null : json.field_key;
      };
      const passwords = [7, 8, 256, 257].map((length) => ({ password: 'p'.repeat(length) }));
      expect(await Promise.all(passwords.map(problemWith))).toEqual(['password', null, null, 'password']);
      const emails = [254, 255].map((length) => ({
        email: `${`someone@${'e.'.repeat(200)}`.slice(0, length - 1)}e`,
      }));
      expect(await Promise.all(emails.map(problemWith))).toEqual([null, 'email']);
    });

    test('a password with a line break, which no browser can send, is refused', async () => {
      const { status, json } = await register(app, { email: 'lines@example.com', password: 'from a file\n' });
      expect([status, json.field_key, json.error_string]).toEqual([
        400,
        'password',
        '"password" must be on one line.',
      ]);
      const { key, password: current_password } = await app.createAccount();
      const body = { current_password, new_password: 'from a\r\nfile' };
      const changed = await app.call('POST', '/api/v1/user/password', { key, body });
      expect([changed.status, changed.json.field_key]).toEqual([400, 'new_password']);
    });

    test('with a credential and no body, POST /user returns the calling user, as GET does', async () => {
      const caller = await app.createAccount();
      const posted = await app.call('POST', '/api/v1/user', { key: caller.key });
      const got = await app.call('GET', '/api/v1/user', { key: caller.key });
      expect([posted.status, got.status]).toEqual([200, 200]);
      expect(posted.json).toEqual(got.json);
      expect(posted.json).toMatchObject({ id: caller.userId, email: caller.email });
      expect((await app.call('POST', '/api/v1/user')).status).toBe(401);
    });

    test('no password, key or token is stored in the database or its log in plain text', async () => {
      const caller = await app.createAccount();
      const pair = await app.call('POST', '/api/v1/auth/create_tokens', { body: caller });
      expect(pair.status).toBe(400);
      const { json } = await app.call('POST', '/api/v1/auth/create_tokens', {
        body: { email: caller.email, password: caller.password },
      });
      await app.call('POST', '/api/v1/link', {
        key: caller.key,
        body: { destination_url: 'e.com', password: 'open-sesame-42', webhook_auth_key: 'hook-secret-42' },
      });
      const files = await Array.fromAsync(new Bun.Glob('linnet.sqlite*').scan({ cwd: app.dataDir }));
      const contents = await Promise.all(files.map((file) => Bun.file(`${app.dataDir}/${file}`).text()));
      for (const secret of [
        caller.key,
        caller.password,
        json.access_token,
        json.refresh_token,
        'open-sesame-42',
        'hook-secret-42',
      ]) {
        expect(contents.some((content) => content.includes(secret))).toBe(false);
      }
      expect(contents.some((content) => content.includes(caller.email))).toBe(true);
    });
  });
});

describe.each(storeKinds)('while registration is closed on %s', (store) => {
  test('the first account is created from this machine and administers its own organization; then registration is closed, on this machine too', () =>
    withApp({ ...closed, store }, async (app) => {
      const { status, json } = await register(app, {
        email: 'Ada@Example.com',
        name: 'Ada',
        organization_name: 'Engines',
      });
      expect(status).toBe(201);
      expect(json).toMatchObject({
        email: 'ada@example.com',
        name: 'Ada',
        organization_name: 'Engines',
        role: 'administrator',
      });
      expect(json).not.toHaveProperty('password');
      const second = await register(app, { email: 'two@example.com' });
      expect([second.status, second.json.error_code]).toEqual([403, 'REGISTRATION_CLOSED']);
    }));

  test('of many simultaneous first accounts, one is created', () =>
    withApp({ ...closed, store }, async (app) => {
      const responses = await Promise.all(
        Array.from({ length: 6 }, (_, index) => register(app, { email: `first${index}@example.com` })),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403, 403, 403]);
    }));
});

describe.each(storeKinds)('invitations on %s', (store) => {
  const { app, owner: admin } = appWithOwner({ ...closed, store });

  test('an invitation lets only its address join the organization once, in its role', async () => {
    const invite = (email: string, role = 'editor') =>
      app.call('POST', '/api/v1/invitation', { key: admin.key, body: { email, role } });
    const { status, json: invitation } = await invite('bob@example.com');
    expect(status).toBe(201);
    expect((await app.call('GET', '/api/v1/invitation', { key: admin.key })).json).toEqual([
      {
        id: invitation.id,
        created_at: invitation.created_at,
        email: 'bob@example.com',
        role: 'editor',
        expires_at: invitation.expires_at,
      },
    ]);
    const invitation_token = invitation.token;
    expect((await register(app, { email: 'eve@example.com', invitation_token })).json.error_code).toBe(
      'INVITATION_INVALID',
    );
    const joined = await register(app, { email: 'Bob@example.com', invitation_token });
    expect(joined.json).toMatchObject({ organization_id: admin.organizationId, role: 'editor' });
    expect((await register(app, { email: 'bob2@example.com', invitation_token })).status).toBe(403);

    const expiredToken = (await invite('carol@example.com')).json.token;
    const lateToken = (await invite('dave@example.com')).json.token;
    app.clock.now += 13 * dayLength;
    expect((await register(app, { email: 'dave@example.com', invitation_token: lateToken })).status).toBe(
      201,
    );
    app.clock.now += 2 * dayLength;
    expect((await register(app, { email: 'carol@example.com', invitation_token: expiredToken })).status).toBe(
      403,
    );
  });

  test('an editor may create links but not invite members', async () => {
    const { json } = await app.call('POST', '/api/v1/invitation', {
      key: admin.key,
      body: { email: 'ed@example.com' },
    });
    await register(app, { email: 'ed@example.com', invitation_token: json.token });
    const pair = await app.call('POST', '/api/v1/auth/create_tokens', {
      body: { email: 'ed@example.com', password },
    });
    const headers = { authorization: `Bearer ${pair.json.access_token}` };
    expect(
      (await app.call('POST', '/api/v1/link', { headers, body: { destination_url: 'e.com' } })).status,
    ).toBe(201);
    const refused = await app.call('POST', '/api/v1/invitation', {
      headers,
      body: { email: 'x@example.com' },
    });
    expect([refused.status, refused.json.error_code]).toEqual([403, 'FORBIDDEN']);
  });
});

describe('creating the first account', () => {
  const throughProxies: Record<string, string>[] = [
    { 'x-forwarded-for': '203.0.113.9' },
    { forwarded: 'for=203.0.113.9' },
    { via: '1.1 proxy' },
    { 'x-real-ip': '203.0.113.9' },
  ];
  const fromWebPages: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { host: 'rebound.example' },
  ];

  describe('without a token', () => {
    const app = appForSuite(closed);

    test('a call through a proxy on this machine, or from a web page, does not count as from this machine', async () => {
      for (const headers of [...throughProxies, ...fromWebPages]) {
        const { status, json } = await register(app, { email: 'taker@example.com' }, headers);
        expect([status, json.error_code]).toEqual([403, 'SETUP_TOKEN_WRONG']);
      }
    });

    test("a form of another site can't send JSON without a preflight request", async () => {
      const response = await app.call('POST', '/api/v1/user', {
        body: JSON.stringify({ email: 'a@example.com', password }),
        headers: { 'content-type': 'text/plain' },
      });
      expect([response.status, response.json.error_code]).toEqual([415, 'CONTENT_TYPE_UNSUPPORTED']);
    });
  });

  test.each([
    ['BASE_URL', 'https://links.example.com'],
    ['TRUSTED_PROXIES', '1'],
    ['TRUSTED_PROXIES', '127.0.0.1'],
  ])(
    'no client counts as on this machine if %s=%s implies clients elsewhere, whatever Host is passed on',
    (name, value) =>
      withApp({ env: { ...closed.env, [name]: value } }, async (app) => {
        for (const host of ['localhost', '127.0.0.1:3000', '[::1]']) {
          const { status, json } = await register(app, { email: 'taker@example.com' }, { host });
          expect([host, status, json.error_code]).toEqual([host, 403, 'SETUP_TOKEN_WRONG']);
          const setup = await app.call('GET', '/api/v1/setup', { headers: { host } });
          expect(setup.json.may_create_here).toBe(false);
        }
      }),
  );

  test('the token that is printed at start allows it from anywhere, once', () =>
    withApp(closed, async (app) => {
      const fromElsewhere = { 'x-forwarded-for': '203.0.113.9' };
      const setup_token = app.app.setupToken ?? '';
      expect(setup_token).toHaveLength(24);
      expect(
        (await register(app, { email: 'a@example.com', setup_token: 'x'.repeat(24) }, fromElsewhere)).status,
      ).toBe(403);
      expect((await register(app, { email: 'a@example.com', setup_token }, fromElsewhere)).status).toBe(201);
      expect((await register(app, { email: 'b@example.com', setup_token }, fromElsewhere)).status).toBe(403);
    }));
});

test('of more than thirty accounts an hour from one network the refusal names the accounts', () =>
  withApp({ env: { REGISTRATION: 'open', TRUSTED_PROXIES: '1' } }, async (app) => {
    await app.createAccount();
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const create = () => register(app, { email: `${crypto.randomUUID()}@example.com` }, from('198.51.100.7'));
    const created = await Promise.all(Array.from({ length: 30 }, create));
    expect(new Set(created.map(({ status }) => status))).toEqual(new Set([201]));
    const { status, json } = await create();
    expect([status, json.error_string]).toEqual([
      429,
      'Too many accounts were created from your network. Try again in 60 minutes.',
    ]);
  }));
