import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { cleanUp } from '../src/manage/clean-up.ts';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { proveEmail } from '../src/storage/accounts/members.ts';
import { Log } from '../src/telemetry/log.ts';
import { onOneStore, startApp, storeKinds, type TestApp, type TestResponse } from './support/app.ts';
import { type MailServer, startMailServer } from './support/mail-server.ts';
import { browserHeadersOf, invite } from './support/members.ts';
import {
  comparable,
  newPassword,
  otherNetwork,
  requestReset,
  resetPassword,
  signIn,
} from './support/password-reset.ts';

describe.each(storeKinds)('a forgotten password on %s', (store) => {
  let server: MailServer;
  let acceptsMail = true;
  let app: TestApp;
  const lines: string[] = [];
  /** All mails so far, once the pending ones are sent. */
  const mails = async () => {
    await app.app.context.backgroundTasks.finish();
    return server.mails;
  };
  const tokenIn = (text: string | undefined) => /\/app\/reset\/(lnp_\w+)/.exec(text ?? '')?.[1] ?? '';
  /** Requests a reset, and returns the token that was mailed. */
  const requestedToken = async (email: string, headers = otherNetwork()) => {
    expect((await requestReset(app, email, headers)).status).toBe(202);
    return tokenIn((await mails()).at(-1)?.parts['text/plain']);
  };
  const expectInvalid = (response: TestResponse) =>
    expect([response.status, response.json?.error_code, response.json?.field_key]).toEqual([
      400,
      'RESET_INVALID',
      'token',
    ]);

  beforeAll(async () => {
    server = await startMailServer({
      onMailFrom: (_, __, done) => (acceptsMail ? done() : done(new Error('try later'))),
    });
    app = await startApp({
      store,
      env: { SMTP_URL: `smtp://127.0.0.1:${server.port}`, TRUSTED_PROXIES: '1' },
      overrides: { log: new Log('info', (line) => lines.push(line)) },
    });
  });
  beforeEach(() => {
    acceptsMail = true;
    server.mails.length = 0;
  });
  afterAll(async () => {
    await app.stop();
    await server[Symbol.asyncDispose]();
    expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    expect(lines.join('')).not.toMatch(/lnp_|@example\.com/);
  });

  test('is answered by mail with a link, as text and HTML, and without any other link', async () => {
    const { email } = await app.createAccount();
    expect((await requestReset(app, ` ${email.toUpperCase()} `)).status).toBe(202);
    const [mail, ...more] = await mails();
    expect([mail?.to, more]).toEqual([[email], []]);
    expect(mail?.headers.get('subject')).toBe(`A new password for ${new URL(app.url).host}`);
    const text = mail?.parts['text/plain'] ?? '';
    const url = `${app.url}/app/reset/${tokenIn(text)}`;
    expect(text).toContain(`\n${url}\n`);
    expect(text).toContain('for an hour');
    const page = mail?.parts['text/html'] ?? '';
    expect([...page.matchAll(/(?:href|src)="([^"]*)"/g)].map((match) => match[1])).toEqual([url]);
  });

  test('is replaced: all sessions are signed out, and API keys stay', async () => {
    const account = await app.createAccount();
    await app.app.context.database.write((queries) => proveEmail(queries, account.userId));
    const { cookie } = await browserHeadersOf(app, account);
    const pair = await app.call('POST', '/api/v1/auth/create_tokens', {
      body: { email: account.email, password: account.password },
    });
    const authorization = `Bearer ${pair.json.access_token}`;
    const token = await requestedToken(account.email);
    const userStatus = async (headers: Record<string, string>) =>
      (await app.call('GET', '/api/v1/user', { headers })).status;
    expect([await userStatus({ cookie }), await userStatus({ authorization })]).toEqual([200, 200]);
    const { status, text } = await resetPassword(app, token);
    expect([status, text]).toEqual([204, '']);
    expect([await userStatus({ cookie }), await userStatus({ authorization })]).toEqual([401, 401]);
    const refreshed = await app.call('GET', '/api/v1/auth/refresh_access_token', {
      headers: { authorization: `Bearer ${pair.json.refresh_token}` },
    });
    expect(refreshed.status).toBe(401);
    expect(await userStatus({ 'api-key': account.key })).toBe(200);
    expect(await signIn(app, account.email, account.password)).toBe(401);
    expect(await signIn(app, account.email, newPassword)).toBe(201);
  });

  test("deletes the keys of a user who signed up with another person's address", async () => {
    const squatter = await app.createAccount();
    expect((await resetPassword(app, await requestedToken(squatter.email))).status).toBe(204);
    expect((await app.call('GET', '/api/v1/user', { key: squatter.key })).status).toBe(401);
    const owner = await browserHeadersOf(app, { ...squatter, password: newPassword });
    const made = await app.call('POST', '/api/v1/api_key', { body: { name: 'mine' }, headers: owner });
    expect((await resetPassword(app, await requestedToken(squatter.email))).status).toBe(204);
    expect((await app.call('GET', '/api/v1/user', { key: made.json.key })).status).toBe(200);
  });

  test('does not reveal whether there is an account', async () => {
    const { email } = await app.createAccount();
    const known = await requestReset(app, email);
    const unknown = await requestReset(app, 'nobody@example.com');
    expect(known.status).toBe(202);
    expect(comparable(unknown)).toEqual(comparable(known));
    expect((await mails()).map(({ to }) => to)).toEqual([[email]]);
    // The same when one of them has reached its mail limit, or the mail server is down.
    for (let mail = 0; mail < 10; mail++) await requestReset(app, email);
    expect(comparable(await requestReset(app, email))).toEqual(comparable(known));
    acceptsMail = false;
    const { email: other } = await app.createAccount();
    expect(comparable(await requestReset(app, other))).toEqual(comparable(known));
    await mails();
  });

  test('has a link that is valid once, even if it is used twice at the same moment', async () => {
    const { email } = await app.createAccount();
    const token = await requestedToken(email);
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        resetPassword(app, token, otherNetwork(), `${newPassword} ${index}`),
      ),
    );
    const succeeded = responses.flatMap(({ status }, index) => (status === 204 ? [index] : []));
    expect(succeeded).toHaveLength(1);
    for (const response of responses.filter(({ status }) => status !== 204)) expectInvalid(response);
    expect(await signIn(app, email, `${newPassword} ${succeeded[0]}`)).toBe(201);
    expectInvalid(await resetPassword(app, token));
  });

  test('has a link that is valid for an hour', async () => {
    const { email } = await app.createAccount();
    const token = await requestedToken(email);
    app.clock.now += hourLength;
    expectInvalid(await resetPassword(app, token));
    const next = await requestedToken(email);
    app.clock.now += hourLength - 1;
    expect((await resetPassword(app, next)).status).toBe(204);
  });

  test('has a newer link that replaces the previous one, if it was sent', async () => {
    const { email } = await app.createAccount();
    const first = await requestedToken(email);
    const second = await requestedToken(email);
    expect(second).not.toBe(first);
    expectInvalid(await resetPassword(app, first));
    acceptsMail = false;
    expect((await requestReset(app, email)).status).toBe(202);
    await mails();
    expect((await resetPassword(app, second)).status).toBe(204);
  });

  test('has a link that ends when the password changes, and is for no other account', async () => {
    const { email, key, password } = await app.createAccount();
    const other = await app.createAccount();
    const token = await requestedToken(email);
    const kept = await requestedToken(other.email);
    const body = { current_password: password, new_password: 'changed by hand' };
    const changed = await app.call('POST', '/api/v1/user/password', { key, body, headers: otherNetwork() });
    expect(changed.status).toBe(204);
    expectInvalid(await resetPassword(app, token));
    expect(await signIn(app, email, 'changed by hand')).toBe(201);
    expect((await resetPassword(app, kept)).status).toBe(204);
  });

  test("can't be used for a sign-in that is in progress during the reset", async () => {
    const { email, password } = await app.createAccount();
    const token = await requestedToken(email);
    const body = { email, password };
    const [done, ...sessions] = await Promise.all([
      resetPassword(app, token),
      ...Array.from({ length: 4 }, () =>
        app.call('POST', '/api/v1/session', { body, headers: otherNetwork() }),
      ),
    ]);
    expect(done.status).toBe(204);
    for (const { headers } of sessions) {
      const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
      expect((await app.call('GET', '/api/v1/user', { headers: { cookie } })).status).toBe(401);
    }
  });

  onOneStore(store, () => {
    test("isn't replaced by an invalid one, which is refused with its field, and the link stays valid", async () => {
      const { email } = await app.createAccount();
      const token = await requestedToken(email);
      const short = await resetPassword(app, token, otherNetwork(), 'short');
      expect([short.status, short.json.field_key]).toEqual([400, 'new_password']);
      expect((await resetPassword(app, token)).status).toBe(204);
    });
  });

  test('has the same error message for every invalid link', async () => {
    const unknown = `lnp_${'a'.repeat(43)}`;
    const responses = [];
    for (const token of [unknown, 'lnp_', 'x', "' or 1=1", `${unknown}x`])
      responses.push(await resetPassword(app, token));
    for (const response of responses) expectInvalid(response);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    for (const token of [null, 7, {}, ['x'], undefined, `${unknown}\u0000`])
      expect((await resetPassword(app, token)).json.field_key).toBe('token');
    for (const email of ['', 'nobody', 'a@b\nc', null])
      expect((await requestReset(app, email as string)).status).toBe(400);
  });

  test("has links whose guessing is limited, and correct ones don't count", async () => {
    const { email } = await app.createAccount();
    const from = otherNetwork();
    const guess = () => resetPassword(app, `lnp_${'b'.repeat(43)}`, from);
    for (let wrong = 0; wrong < 9; wrong++) expectInvalid(await guess());
    expect((await resetPassword(app, await requestedToken(email), from)).status).toBe(204);
    expectInvalid(await guess());
    const limited = await guess();
    expect([limited.status, limited.json.error_code]).toEqual([429, 'TOO_MANY_ATTEMPTS']);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    // A valid token can't be guessed, so a client with one isn't blocked by others of its network.
    expect((await resetPassword(app, await requestedToken(email), from)).status).toBe(204);
  });

  test('sends at most five mails a day to one address from one network, and ten from all', async () => {
    const { email } = await app.createAccount();
    const from = otherNetwork();
    for (let mail = 0; mail < 6; mail++) expect((await requestReset(app, email, from)).status).toBe(202);
    expect(await mails()).toHaveLength(5);
    for (let mail = 0; mail < 6; mail++) {
      expect((await requestReset(app, email)).status).toBe(202);
      // Two mails that are sent at once may arrive in any order.
      await mails();
    }
    expect(await mails()).toHaveLength(10);
    // The last link that was sent still works.
    expect((await resetPassword(app, tokenIn(server.mails.at(-1)?.parts['text/plain']))).status).toBe(204);
    // Invitations to the same address are counted separately.
    const { key } = await app.createAccount();
    expect((await invite(app, key, email)).json.sent).toBe(true);
    app.clock.now += dayLength;
    await requestReset(app, email, from);
    expect(await mails()).toHaveLength(12);
  });

  test('has a separate limit of mails for a network or browser that signed in before', async () => {
    const { email, password } = await app.createAccount();
    const home = otherNetwork();
    const signedIn = await app.call('POST', '/api/v1/session', { body: { email, password }, headers: home });
    const cookie = signedIn.headers.getSetCookie().find((text) => text.startsWith('linnet_known=')) ?? '';
    for (let mail = 0; mail < 11; mail++) {
      await requestReset(app, email);
      await mails();
    }
    expect(await mails()).toHaveLength(10);
    await requestReset(app, email, home);
    expect(await mails()).toHaveLength(11);
    await requestReset(app, email, { ...otherNetwork(), cookie: cookie.split(';')[0] ?? '' });
    expect(await mails()).toHaveLength(12);
  });

  test("doesn't count mails that failed", async () => {
    const { email } = await app.createAccount();
    const from = otherNetwork();
    acceptsMail = false;
    for (let mail = 0; mail < 7; mail++) await requestReset(app, email, from);
    await mails();
    acceptsMail = true;
    expect(await requestedToken(email, from)).toStartWith('lnp_');
  });

  test('may be requested twenty times an hour from one network, for any accounts', async () => {
    const from = otherNetwork();
    const request = (index: number) => requestReset(app, `nobody${index}@example.com`, from);
    for (let index = 0; index < 20; index++) expect((await request(index)).status).toBe(202);
    const limited = await request(20);
    expect([limited.status, limited.json.error_code]).toEqual([429, 'TOO_MANY_ATTEMPTS']);
    expect(limited.headers.get('retry-after')).toBe('3600');
    app.clock.now += hourLength;
    expect((await request(21)).status).toBe(202);
    await mails();
  });

  test('proves the address when its link is used', async () => {
    const guest = await app.createAccount();
    const host = await app.createAccount();
    const { json } = await invite(app, host.key, guest.email);
    const accept = () => app.call('POST', `/api/v1/user/invitations/${json.id}/accept`, { key: guest.key });
    expect((await accept()).json.error_code).toBe('EMAIL_UNPROVEN');
    await resetPassword(app, await requestedToken(guest.email));
    const headers = await browserHeadersOf(app, { ...guest, password: newPassword });
    const accepted = await app.call('POST', `/api/v1/user/invitations/${json.id}/accept`, { headers });
    expect(accepted.status).toBe(200);
  });

  test('leaves no link in the store in plain text, and expired ones are deleted', async () => {
    const { email, userId } = await app.createAccount();
    const token = await requestedToken(email);
    const rows = () =>
      app.app.context.database.read
        .selectFrom('password_resets')
        .selectAll()
        .where('user_id', '=', userId)
        .execute();
    expect(JSON.stringify(await rows())).not.toContain(token.slice(4));
    await cleanUp(app.app.context);
    expect(await rows()).toHaveLength(1);
    app.clock.now += hourLength;
    await cleanUp(app.app.context);
    expect(await rows()).toHaveLength(0);
  });
});
