import { describe, expect, spyOn, test } from 'bun:test';
import { cleanUp } from '../src/manage/clean-up.ts';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { Refusal } from '../src/rules/errors.ts';
import { storeKinds } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { cookieIn, sessionSuite } from './support/session-suite.ts';

describe.each(storeKinds)('sessions on %s', (store) => {
  const suite = sessionSuite(store);
  const { pageHeaders, signIn, signedInAccount, isSignedIn } = suite;

  test("signing in returns the user and sets a cookie that scripts and other sites can't use", async () => {
    const { email, password, userId } = await suite.app.createAccount('cookie@example.com');
    const response = await signIn(email, password);
    expect([response.status, response.json.id, response.json.email]).toEqual([201, userId, email]);
    const { pair, attributes } = cookieIn(response.headers);
    expect(pair).toMatch(/^linnet=lns_[0-9A-Za-z]{43}$/);
    expect(attributes.sort()).toEqual(['HttpOnly', `Max-Age=${30 * 24 * 60 * 60}`, 'Path=/', 'SameSite=Lax']);
    const known = response.headers.getSetCookie()[1] ?? '';
    expect(known).toMatch(/^linnet_known=[\w.-]+; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(response.text).not.toContain('lns_');
    expect((await suite.app.call('GET', '/api/v1/user', { headers: { cookie: pair } })).json).toEqual(
      response.json,
    );
  });

  test('a session may do everything that a key may, reading and changing', async () => {
    const { cookie } = await signedInAccount();
    const made = await suite.app.call('POST', '/api/v1/link', {
      headers: pageHeaders(cookie),
      body: { destination_url: 'example.com' },
    });
    expect(made.status).toBe(201);
    expect((await suite.app.call('GET', '/api/v1/link', { headers: { cookie } })).json.total_links).toBe(1);
    const deleted = await suite.app.call('DELETE', `/api/v1/link/${made.json.id}`, {
      headers: pageHeaders(cookie),
    });
    expect(deleted.status).toBe(204);
  });

  test('signing out ends the session and deletes its cookie; doing it twice is no error', async () => {
    const { cookie } = await signedInAccount();
    const signOut = await suite.app.call('DELETE', '/api/v1/session', { headers: pageHeaders(cookie) });
    expect(signOut.status).toBe(204);
    expect(signOut.headers.get('set-cookie')).toStartWith('linnet=; Max-Age=0; Path=/');
    const refused = await suite.app.call('GET', '/api/v1/user', { headers: { cookie } });
    expect([refused.status, refused.json.error_code]).toEqual([401, 'SESSION_ENDED']);
    expect((await suite.app.call('DELETE', '/api/v1/session', { headers: pageHeaders(cookie) })).status).toBe(
      204,
    );
    expect((await suite.app.call('DELETE', '/api/v1/session')).status).toBe(204);
  });

  test('a session lasts thirty days from its last use, and so does its cookie', async () => {
    const { cookie } = await signedInAccount();
    const use = async () => (await suite.app.call('GET', '/api/v1/user', { headers: { cookie } })).headers;
    expect((await use()).get('set-cookie')).toBeNull();
    for (let month = 0; month < 3; month++) {
      suite.app.clock.now += 29 * dayLength;
      const renewed = (await use()).get('set-cookie');
      expect(renewed).toStartWith(`${cookie}; Max-Age=${30 * 24 * 60 * 60}; `);
      // The renewal is stored in parallel with the answer.
      await eventually(async () => (await use()).get('set-cookie') === null, 'the renewal');
    }
    suite.app.clock.now += 30 * dayLength - 1;
    expect(await isSignedIn(cookie)).toBe(true);
    suite.app.clock.now += 30 * dayLength + 1;
    expect(await isSignedIn(cookie)).toBe(false);
  });

  test('the use of a session is stored at most once an hour', async () => {
    const { cookie, userId } = await signedInAccount();
    const renewedAt = async () => {
      const { database } = suite.app.app.context;
      const rows = await database.read
        .selectFrom('sessions')
        .select('renewed_at')
        .where('user_id', '=', userId)
        .execute();
      return rows.map((row) => row.renewed_at);
    };
    const [startedAt = 0] = await renewedAt();
    suite.app.clock.now += hourLength - 1;
    await Promise.all(Array.from({ length: 20 }, () => isSignedIn(cookie)));
    expect(await renewedAt()).toEqual([startedAt]);
    suite.app.clock.now += 1;
    await Promise.all(Array.from({ length: 20 }, () => isSignedIn(cookie)));
    await eventually(async () => (await renewedAt())[0] !== startedAt, 'the renewal');
    expect(await renewedAt()).toEqual([startedAt + hourLength]);
  });

  test('a key or token that is also sent takes precedence over the cookie', async () => {
    const [one, other] = [await signedInAccount(), await signedInAccount()];
    const user = async (headers: Record<string, string>) =>
      (await suite.app.call('GET', '/api/v1/user', { headers })).json.id;
    expect(await user({ cookie: one.cookie, 'api-key': other.key })).toBe(other.userId);
    expect(await user({ cookie: one.cookie, authorization: `Bearer ${other.key}` })).toBe(other.userId);
    expect(
      (await suite.app.call('GET', '/api/v1/user', { headers: { cookie: one.cookie, 'api-key': 'lnt_no' } }))
        .status,
    ).toBe(401);
    const renamed = await suite.app.call('PATCH', '/api/v1/user', {
      headers: { cookie: one.cookie, 'api-key': other.key, origin: 'https://evil.example' },
      body: { name: 'By key' },
    });
    expect([renamed.status, renamed.json.id]).toEqual([200, other.userId]);
  });

  test('a session token is not accepted as a bearer token, nor a key as a cookie', async () => {
    const { cookie, key } = await signedInAccount();
    const token = cookie.slice('linnet='.length);
    expect((await suite.app.call('GET', '/api/v1/user', { key: token })).status).toBe(401);
    expect(await isSignedIn(`linnet=${key}`)).toBe(false);
    for (const odd of [
      'linnet=',
      'linnet',
      '=',
      ';;',
      `xlinnet=${token}`,
      `linnet=${token}x`,
      `linnet="${token}"`,
    ])
      expect([odd, await isSignedIn(odd)]).toEqual([odd, false]);
    expect(await isSignedIn(`theme=dark; ${cookie}; a=b`)).toBe(true);
    expect(await isSignedIn(`linnet=garbage;${cookie}`)).toBe(true);
  });

  test("signing in again ends the browser's previous session", async () => {
    const { email, password, cookie } = await signedInAccount();
    const again = await signIn(email, password, pageHeaders(cookie));
    expect(again.status).toBe(201);
    expect(await isSignedIn(cookie)).toBe(false);
    expect(await isSignedIn(cookieIn(again.headers).pair)).toBe(true);
  });

  test('the cookie of an ended session prevents no user from signing in or up', async () => {
    const { email, password, cookie } = await signedInAccount();
    await suite.app.call('DELETE', '/api/v1/session', { headers: pageHeaders(cookie) });
    expect((await signIn(email, password, pageHeaders(cookie))).status).toBe(201);
    const body = { email: `up@example.com`, password: 'a long enough one' };
    expect(
      (await suite.app.call('POST', '/api/v1/user', { headers: pageHeaders(cookie), body })).status,
    ).toBe(201);
    expect((await suite.app.call('POST', '/api/v1/user', { headers: pageHeaders(cookie) })).status).toBe(401);
  });

  test('guesses are counted together with those for tokens, before they are checked', async () => {
    const { email, password } = await suite.app.createAccount('guess@example.com');
    const attempts = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        index % 2
          ? signIn(email, 'wrong')
          : suite.app.call('POST', '/api/v1/auth/create_tokens', { body: { email, password: 'wrong' } }),
      ),
    );
    expect(attempts.filter(({ status }) => status === 401)).toHaveLength(10);
    const late = await signIn(email, password);
    expect([late.status, late.json.error_code]).toEqual([429, 'TOO_MANY_ATTEMPTS']);
    expect(late.headers.get('set-cookie')).toBeNull();
    suite.app.clock.now += 15 * 60_000;
    expect((await signIn(email, password)).status).toBe(201);
  });

  test('a wrong password and an unknown address get the same response', async () => {
    const { email } = await suite.app.createAccount('same@example.com');
    const wrong = await signIn(email, 'wrong password');
    const unknown = await signIn('nobody@example.com', 'wrong password');
    expect([wrong.status, wrong.json.error_code]).toEqual([401, 'LOGIN_WRONG']);
    expect(wrong.json).toEqual(unknown.json);
  });

  test('changing the password ends every other session and token pair, and keeps this one and the keys', async () => {
    const { email, password, cookie, key } = await signedInAccount();
    const other = cookieIn((await signIn(email, password)).headers).pair;
    const pair = (await suite.app.call('POST', '/api/v1/auth/create_tokens', { body: { email, password } }))
      .json;
    const change = (current_password: string, new_password: string) =>
      suite.app.call('POST', '/api/v1/user/password', {
        headers: pageHeaders(cookie),
        body: { current_password, new_password },
      });

    const wrong = await change('not this one', 'a new long password');
    expect([wrong.status, wrong.json]).toEqual([
      400,
      {
        status_code: 400,
        error_code: 'PASSWORD_WRONG',
        field_key: 'current_password',
        error_string: 'This is not your current password. Check it and try again.',
      },
    ]);
    const short = await change(password, 'short');
    expect([short.status, short.json.field_key]).toEqual([400, 'new_password']);
    expect(await isSignedIn(other)).toBe(true);

    expect((await change(password, 'a new long password')).status).toBe(204);
    expect([await isSignedIn(cookie), await isSignedIn(other)]).toEqual([true, false]);
    const bearer = { authorization: `Bearer ${pair.access_token}` };
    expect((await suite.app.call('GET', '/api/v1/user', { headers: bearer })).status).toBe(401);
    const refresh = { authorization: `Bearer ${pair.refresh_token}` };
    expect(
      (await suite.app.call('GET', '/api/v1/auth/refresh_access_token', { headers: refresh })).status,
    ).toBe(401);
    expect((await suite.app.call('GET', '/api/v1/user', { key })).status).toBe(200);
    expect((await signIn(email, password)).status).toBe(401);
    expect((await signIn(email, 'a new long password')).status).toBe(201);
  });

  test('of two simultaneous password changes, one succeeds and the other is refused', async () => {
    const { email, password, key } = await signedInAccount();
    const passwords = ['the first new one', 'the second new one'];
    const responses = await Promise.all(
      passwords.map((new_password) =>
        suite.app.call('POST', '/api/v1/user/password', {
          key,
          body: { current_password: password, new_password },
        }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 400]);
    const winner = passwords[responses.findIndex(({ status }) => status === 204)] ?? '';
    expect((await signIn(email, winner)).status).toBe(201);
  });

  test('guesses of the current password are limited as for signing in', async () => {
    const { password, key } = await signedInAccount();
    const guess = async (current_password: string) =>
      (
        await suite.app.call('POST', '/api/v1/user/password', {
          key,
          body: { current_password, new_password: 'a new long password' },
        })
      ).status;
    const statuses = await Promise.all(Array.from({ length: 15 }, () => guess('wrong')));
    expect(statuses.filter((status) => status === 400)).toHaveLength(10);
    expect(await guess(password)).toBe(429);
    suite.app.clock.now += 15 * 60_000;
    expect(await guess(password)).toBe(204);
  });

  test('a current password that could not be checked is no guess', async () => {
    const { password, key } = await signedInAccount();
    const change = () =>
      suite.app.call('POST', '/api/v1/user/password', {
        key,
        body: { current_password: password, new_password: 'a new long password' },
      });
    const { passwords } = suite.app.app.context;
    const busy = spyOn(passwords, 'verify').mockImplementation(async () => {
      throw new Refusal('BUSY', 'Too many passwords are being checked right now.', { retryAfter: 3 });
    });
    for (let tries = 0; tries < 12; tries++) expect((await change()).status).toBe(503);
    busy.mockRestore();
    expect((await change()).status).toBe(204);
  });

  test('no session begun with the old password survives its change', async () => {
    for (let round = 0; round < 4; round++) {
      const { email, password, key } = await signedInAccount();
      const [, ...signIns] = await Promise.all([
        suite.app.call('POST', '/api/v1/user/password', {
          key,
          body: { current_password: password, new_password: 'a new long password' },
        }),
        ...Array.from({ length: 4 }, () => signIn(email, password)),
      ]);
      for (const { status, headers } of signIns)
        if (status === 201) expect(await isSignedIn(cookieIn(headers).pair)).toBe(false);
    }
  });

  test('signing out everywhere ends all sessions and token pairs, and keeps the keys', async () => {
    const { email, password, cookie, key } = await signedInAccount();
    const other = cookieIn((await signIn(email, password)).headers).pair;
    const pair = (await suite.app.call('POST', '/api/v1/auth/create_tokens', { body: { email, password } }))
      .json;
    const signOut = await suite.app.call('POST', '/api/v1/user/sign_out_everywhere', {
      headers: pageHeaders(cookie),
    });
    expect([signOut.status, signOut.headers.get('set-cookie')]).toEqual([
      204,
      expect.stringContaining('Max-Age=0'),
    ]);
    expect([await isSignedIn(cookie), await isSignedIn(other)]).toEqual([false, false]);
    const bearer = { authorization: `Bearer ${pair.access_token}` };
    expect((await suite.app.call('GET', '/api/v1/user', { headers: bearer })).status).toBe(401);
    expect((await suite.app.call('GET', '/api/v1/user', { key })).status).toBe(200);
  });

  test('the live stream accepts a session, and ends with it', async () => {
    const { app } = suite;
    const { email, password } = await app.createAccount();
    const open = async () => {
      const body = { email, password };
      const cookie = cookieIn((await app.call('POST', '/api/v1/session', { body })).headers).pair;
      const stream = await fetch(`${app.url}/api/v1/clicks/live`, { headers: { cookie } });
      expect(stream.status).toBe(200);
      return { headers: { cookie, origin: app.url }, rest: stream.text() };
    };
    const signedOut = await open();
    const otherSession = await open();
    await app.call('DELETE', '/api/v1/session', { headers: signedOut.headers });
    expect(await signedOut.rest).toStartWith(': Linnet');
    await app.call('POST', '/api/v1/user/sign_out_everywhere', { headers: (await open()).headers });
    expect(await otherSession.rest).toStartWith(': Linnet');
    expect((await fetch(`${app.url}/api/v1/clicks/live`, { headers: signedOut.headers })).status).toBe(401);
  });

  test('a name is changed, cleared, and checked; other fields of a user are ignored', async () => {
    const { cookie } = await signedInAccount();
    const patch = (body: object) =>
      suite.app.call('PATCH', '/api/v1/user', { headers: pageHeaders(cookie), body });
    const renamed = await patch({ name: '  Ada Lovelace ' });
    expect([renamed.status, renamed.json.name]).toEqual([200, 'Ada Lovelace']);
    const sentBack = await patch({ ...renamed.json, role: 'editor' });
    expect(sentBack.json).toEqual(renamed.json);
    const withOtherEmail = await patch({ ...renamed.json, email: 'other@example.com' });
    expect([withOtherEmail.status, withOtherEmail.json.error_code]).toEqual([400, 'FIELD_FIXED']);
    expect((await patch({})).json.name).toBe('Ada Lovelace');
    for (const empty of [null, '', '   ']) {
      await patch({ name: 'Ada' });
      expect((await patch({ name: empty })).json.name).toBeNull();
    }
    expect((await patch({ name: 'x'.repeat(201) })).json.error_code).toBe('FIELD_TOO_LONG');
    expect((await patch({ name: 'a\u0000b' })).status).toBe(400);
    expect((await patch({ nickname: 'a' })).json.error_code).toBe('FIELD_UNKNOWN');
  });

  test('only expired sessions are deleted', async () => {
    const { userId, cookie } = await signedInAccount();
    const { database } = suite.app.app.context;
    const count = async () =>
      (await database.read.selectFrom('sessions').select('hash').where('user_id', '=', userId).execute())
        .length;
    suite.app.clock.now += 30 * dayLength - 1;
    await cleanUp(suite.app.app.context);
    expect(await count()).toBe(1);
    suite.app.clock.now += 1;
    expect(await isSignedIn(cookie)).toBe(false);
    await cleanUp(suite.app.app.context);
    expect(await count()).toBe(0);
  });

  test('no session token is stored in the database in plain text', async () => {
    const { cookie } = await signedInAccount();
    const rows = await suite.app.app.context.database.read.selectFrom('sessions').selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(cookie.slice('linnet=lns_'.length));
  });
});
