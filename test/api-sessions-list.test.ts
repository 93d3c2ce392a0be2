import { describe, expect, test } from 'bun:test';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { storeKinds } from './support/app.ts';
import { eventually } from './support/eventually.ts';
import { member } from './support/members.ts';
import { cookieIn, sessionSuite } from './support/session-suite.ts';

describe.each(storeKinds)('the list of sessions on %s', (store) => {
  const suite = sessionSuite(store);
  const { pageHeaders, signIn, signedInAccount, isSignedIn } = suite;

  const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0';
  const iphone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

  const startSession = async (account: { email: string; password: string }, agent: string) =>
    cookieIn((await signIn(account.email, account.password, { 'user-agent': agent })).headers).pair;
  const list = async (cookie: string) =>
    (await suite.app.call('GET', '/api/v1/session', { headers: { cookie } })).json;
  const endSession = (id: string, cookie: string) =>
    suite.app.call('DELETE', `/api/v1/session/${id}`, { headers: pageHeaders(cookie) });
  const createAccount = () => suite.app.createAccount();

  test("shows the browser and start of each, its last use, and which one is the caller's", async () => {
    const account = await createAccount();
    const startedAt = suite.app.clock.now;
    const firefoxCookie = await startSession(account, firefox);
    await startSession(account, iphone);
    const byKey = async () => (await suite.app.call('GET', '/api/v1/session', { key: account.key })).json;
    suite.app.clock.now += 2 * hourLength;
    await isSignedIn(firefoxCookie);
    // The last use is stored in parallel with the answer.
    const usedAt = new Date(startedAt + 2 * hourLength).toISOString();
    await eventually(async () => (await byKey())[0].last_used_at === usedAt, 'the last use');
    expect(await list(firefoxCookie)).toEqual([
      {
        id: expect.stringMatching(/^[\w-]{22}$/),
        created_at: new Date(startedAt).toISOString(),
        last_used_at: new Date(startedAt + 2 * hourLength).toISOString(),
        browser: 'Firefox',
        os: 'Windows',
        is_current: true,
      },
      expect.objectContaining({ browser: 'Safari', os: 'iOS', is_current: false }),
    ]);
    const current = (await byKey()).map((session: { is_current: boolean }) => session.is_current);
    expect(current).toEqual([false, false]);
    expect((await suite.app.call('GET', '/api/v1/session')).status).toBe(401);
  });

  test("doesn't name a browser without a valid user agent", async () => {
    const account = await createAccount();
    for (const agent of ['', '<script>', 'x'.repeat(4_000), 'curl/8.5.0']) await startSession(account, agent);
    const { json } = await suite.app.call('GET', '/api/v1/session', { key: account.key });
    expect(json.map(({ browser, os }: { browser: null; os: null }) => [browser, os])).toEqual(
      Array.from({ length: 4 }, () => [null, null]),
    );
  });

  test('can end one by its id, and the others continue', async () => {
    const account = await createAccount();
    const [firefoxCookie, iphoneCookie] = [
      await startSession(account, firefox),
      await startSession(account, iphone),
    ];
    const { id } = (await list(firefoxCookie)).find(
      (session: { browser: string }) => session.browser === 'Safari',
    );
    const ended = await endSession(id, firefoxCookie);
    expect([ended.status, ended.headers.get('set-cookie')]).toEqual([204, null]);
    expect([await isSignedIn(iphoneCookie), await isSignedIn(firefoxCookie)]).toEqual([false, true]);
    expect((await list(firefoxCookie)).length).toBe(1);
    expect((await endSession(id, firefoxCookie)).status).toBe(404);
  });

  test("can end the caller's own session, whose cookie is deleted too", async () => {
    const cookie = await startSession(await createAccount(), firefox);
    const [{ id }] = await list(cookie);
    const ended = await endSession(id, cookie);
    expect([ended.status, ended.headers.get('set-cookie')]).toEqual([
      204,
      'linnet=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    ]);
    expect(await isSignedIn(cookie)).toBe(false);
  });

  test("is only the user's own, even within an organization and for any made-up id", async () => {
    const [mine, theirs] = [await signedInAccount(), await signedInAccount()];
    const colleague = await member(suite.app, mine);
    const [{ id }] = await list(theirs.cookie);
    const [{ id: colleagueSession }] = await list(colleague.browserHeaders.cookie ?? '');
    expect((await list(mine.cookie)).length).toBe(1);
    for (const sessionId of [
      id,
      colleagueSession,
      '1',
      '%00',
      '..',
      "'",
      `${id}x`,
      id.slice(1),
      '_'.repeat(22),
      '%25',
    ])
      expect([sessionId, (await endSession(sessionId, mine.cookie)).status]).toEqual([sessionId, 404]);
    expect((await endSession('%', mine.cookie)).status).toBe(400);
    expect([
      await isSignedIn(theirs.cookie),
      await isSignedIn(colleague.browserHeaders.cookie ?? ''),
    ]).toEqual([true, true]);
  });

  test("has ids that can't be used to sign in, and no sessions that have ended", async () => {
    const { cookie, email, password } = await signedInAccount();
    const [{ id }] = await list(cookie);
    expect(await isSignedIn(`linnet=lns_${id.padEnd(43, '0')}`)).toBe(false);
    expect(cookie).not.toContain(id);
    suite.app.clock.now += 30 * dayLength;
    const newCookie = await startSession({ email, password }, firefox);
    expect((await list(newCookie)).length).toBe(1);
    expect((await endSession(id, newCookie)).status).toBe(204);
  });
});
