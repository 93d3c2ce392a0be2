import { describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { defaultHashCost } from '../src/auth/passwords.ts';
import { dayLength, secondLength } from '../src/rules/durations.ts';
import { Refusal } from '../src/rules/errors.ts';
import { onOneStore, startApp, storeKinds, type TestAccount, type TestApp } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { eventually } from './support/eventually.ts';
import { migratedPostgres } from './support/migrated-store.ts';

async function signInTo(
  app: TestApp,
  from: string,
  body: Pick<TestAccount, 'email' | 'password'>,
  cookie = '',
) {
  const startedAt = performance.now();
  const { status, headers } = await app.call('POST', '/api/v1/session', {
    body: { email: body.email, password: body.password },
    headers: { 'x-forwarded-for': from, ...(cookie && { cookie }) },
  });
  return { status, duration: performance.now() - startedAt, headers };
}

const knownCookie = (headers: Headers): string =>
  headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith('linnet_known='))
    ?.split(';')[0] ?? '';

test("five hundred guesses from 250 networks of one household delay the owner's sign-in only briefly", async () => {
  // A quarter of the full hashing cost: the queue of all guesses would still take many seconds.
  const overrides = { hashCost: { ...defaultHashCost, memoryCost: defaultHashCost.memoryCost / 4 } };
  const app = await startApp({ env: { TRUSTED_PROXIES: '1' }, overrides });
  const owner = await app.createAccount();
  const signIn = (from: string, cookie = '') => signInTo(app, from, owner, cookie);
  const home = '2001:db8:1:100::1';
  const idle = (await signIn(home)).duration;
  const before = await signIn(home);
  expect(before.status).toBe(201);
  const cookie = knownCookie(before.headers);
  const wrong = { email: owner.email, password: 'wrong' };
  const statuses: number[] = [];
  const attack = Array.from({ length: 50 }, async (_, worker) => {
    for (let turn = 0; turn < 10; turn++) {
      const part = ((worker * 10 + turn) % 250) + 1;
      const from = `2001:db8:1:1${part.toString(16).padStart(2, '0')}::2`;
      statuses.push((await signInTo(app, from, wrong)).status);
    }
  });
  const ownSignIns = [
    await signIn('2001:db8:1:1ff::1', cookie),
    await signIn(home),
    await signIn('198.51.100.7'),
  ];
  await Promise.all(attack);
  ownSignIns.push(await signIn('2001:db8:1:1ff::1', cookie), await signIn(home));
  expect(ownSignIns.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  // They wait for a few guesses of others, on a possibly slow machine, but not for a queue of all guesses.
  for (const { duration } of ownSignIns) expect(duration).toBeLessThan(secondLength + 20 * idle);
  expect(statuses).toHaveLength(500);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(20);
  expect(app.faults).toEqual([]);
  await app.stop();
});

describe.each(storeKinds)('while attackers guess a password, on %s', (store) => {
  let url: string | null;

  const { app, owner } = appWithOwner(async () => {
    url = store === 'postgres' ? await migratedPostgres() : null;
    return { env: { TRUSTED_PROXIES: '1', ...(url !== null && { DATABASE_URL: url }) } };
  });

  const signIn = (from: string, password = owner.password, email = owner.email, cookie = '') =>
    signInTo(app, from, { email, password }, cookie);

  /** How many guesses from these networks were evaluated. */
  async function evaluated(target: string, networks: Iterable<string>): Promise<number> {
    let count = 0;
    const all = [...networks];
    for (let start = 0; start < all.length; start += 250) {
      const guesses = all.slice(start, start + 250).map((network) => guess(target, network));
      count += (await Promise.all(guesses)).filter((isEvaluated) => isEvaluated).length;
    }
    return count;
  }
  const guess = (target: string, network: string, browser: string | null = null) =>
    app.app.context.passwordAttempts.reserve(target, { network, browser }).then(
      () => true,
      (cause) => {
        if (!(cause instanceof Refusal) || cause.code !== 'TOO_MANY_ATTEMPTS') throw cause;
        return false;
      },
    );
  const ipv6Networks = (count: number, prefix: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => `${prefix(index)}::/64`);
  /** No two are in the same /48. */
  const spreadNetworks = (count: number, first = 0) =>
    ipv6Networks(
      count,
      (index) => `2001:${((index + first) >> 16).toString(16)}:${((index + first) & 0xffff).toString(16)}:0`,
    );

  const target = 'login|botnet@example.com';
  const [early, late] = [10, 210];
  let botnetResult: Promise<number> | undefined;
  /** How many of `late` guesses at one account were evaluated, after 980 on the same day. */
  const botnet = (): Promise<number> => {
    botnetResult ??= guessAfterOthers();
    return botnetResult;
  };
  async function guessAfterOthers(): Promise<number> {
    expect(await evaluated(target, spreadNetworks(early))).toBe(early);
    // Each would take a millisecond. Only the row of all networks together has counted the early ones.
    const [counted] = await app.app.context.database.write((queries) =>
      queries.updateTable('attempts').set({ count: 980 }).where('count', '=', early).execute(),
    );
    expect(Number(counted?.numUpdatedRows)).toBe(1);
    return evaluated(target, spreadNetworks(late, early));
  }

  test('of guesses from as many networks a thousand a day are checked, then a few a minute', async () => {
    expect(await botnet()).toBe(21);
    // A client from a network without guesses competes with the botnet for the few guesses a minute.
    app.clock.now += 20 * secondLength;
    expect(await evaluated(target, spreadNetworks(10, early + late))).toBe(1);
    app.clock.now += 20 * secondLength;
    expect(await guess(target, '198.51.100.9')).toBe(true);
    expect(await guess(target, '192.0.2.9')).toBe(false);
  }, 240_000);

  test('beyond the daily limit networks that guessed before wait separately from new ones, and known browsers do not wait', async () => {
    await botnet();
    const repeatGuess = () => guess(target, '198.51.101.1');
    for (let time = 0; time < 3; time++) {
      app.clock.now += 20 * secondLength;
      expect(await repeatGuess()).toBe(true);
    }
    app.clock.now += 20 * secondLength;
    expect(await repeatGuess()).toBe(true);
    expect(await repeatGuess()).toBe(false);
    expect(await guess(target, '198.51.102.1')).toBe(true);
    app.clock.now += 20 * secondLength;
    expect(await repeatGuess()).toBe(false);
    for (let time = 0; time < 10; time++) expect(await guess(target, '198.51.103.1', 'browser')).toBe(true);
    expect(await guess(target, '198.51.103.1', 'browser')).toBe(false);
    expect(await guess(target, '198.51.103.1', 'another')).toBe(true);
    await app.app.context.passwordAttempts.rememberNetwork(target, '198.51.104.1');
    expect(await guess(target, '198.51.104.1')).toBe(true);
    expect(await guess(target, '198.51.104.1')).toBe(true);
    expect(await guess(target, '192.0.2.9')).toBe(true);
    expect(await guess(target, '198.18.0.9')).toBe(false);
    app.clock.now += dayLength;
    expect(await guess(target, '198.18.0.9')).toBe(true);
  });

  test('a browser is known for the account where it signed in, and a forged cookie for none', async () => {
    const other = await app.createAccount();
    const cookie = knownCookie((await signIn('198.51.110.1')).headers);
    const [name, value = ''] = cookie.split('=');
    const guessOften = (email: string) =>
      Promise.all(Array.from({ length: 12 }, () => signIn('198.51.111.1', 'wrong', email)));
    await guessOften(owner.email);
    await guessOften(other.email);
    const from = '198.51.111.1';
    expect((await signIn(from, other.password, other.email, cookie)).status).toBe(429);
    for (const forged of ['x', `${value}x`, value.replace(/^./, '_'), `${'A'.repeat(16)}${value.slice(16)}`])
      expect([forged, (await signIn(from, owner.password, owner.email, `${name}=${forged}`)).status]).toEqual(
        [forged, 429],
      );
    expect((await signIn(from, owner.password, owner.email, cookie)).status).toBe(201);
    // The other account's sign-in is added to the cookie, and the first stays.
    const both = knownCookie((await signIn('198.51.112.1', other.password, other.email, cookie)).headers);
    for (const { email, password } of [owner, other])
      expect((await signIn(from, password, email, both)).status).toBe(201);
  });

  test.if(store === 'postgres')(
    'waiting guesses leave connections of the store for known clients',
    async () => {
      const target = 'login|held@example.com';
      await guess(target, '203.0.113.1');
      await using server = new SQL({ url: url ?? '', max: 2 });
      let guesses: Promise<boolean>[] = [];
      await server.begin(async (transaction) => {
        await transaction.unsafe('select * from attempts for update');
        guesses = Array.from({ length: 60 }, (_, index) => guess(target, `203.0.${index}.1`));
        // Runs after the queries whether the sixty are known, so that the sixty are being counted by now.
        await app.app.context.passwordAttempts.knownAs(target, { network: '203.0.113.2', browser: null });
        const waiting = `select count(*)::int as n from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()`;
        await eventually(
          async () => (await server.unsafe(waiting))[0].n >= 2,
          'guesses to wait for the rows',
        );
        expect(await guess(target, '203.0.113.1', 'browser')).toBe(true);
      });
      expect(await Promise.all(guesses)).toEqual(Array(60).fill(true));
    },
  );

  test.if(store === 'sqlite')(
    'no IP address is in the store in plain text, not even after a successful sign-in',
    async () => {
      await signIn('198.51.120.77');
      const files = await Array.fromAsync(new Bun.Glob('linnet.sqlite*').scan({ cwd: app.dataDir }));
      for (const file of files)
        expect(await Bun.file(`${app.dataDir}/${file}`).text()).not.toContain('198.51.120');
    },
  );

  onOneStore(store, () => {
    test('all addresses of a /64, a /56 or a /48 share one limit, and those of a /24 too', async () => {
      const evaluatedLogins = (target: string, networks: Iterable<string>) =>
        evaluated(`login|${target}`, networks);
      expect(await evaluatedLogins('64', Array(200).fill('2001:db8:2:1::/64'))).toBe(10);
      const ofHousehold = ipv6Networks(200, (index) => `2001:db8:3:1${index.toString(16).padStart(2, '0')}`);
      expect(await evaluatedLogins('56', ofHousehold)).toBe(20);
      expect(await evaluatedLogins('56', ['2001:db8:3:200::/64'])).toBe(1);
      const ofSite = ipv6Networks(500, (index) => `2001:db8:4:${(index * 128).toString(16)}`);
      expect(await evaluatedLogins('48', ofSite)).toBe(40);
      expect(await evaluatedLogins('48', ['2001:db8:5:0::/64'])).toBe(1);
      const ofProvider = Array.from({ length: 256 }, (_, index) => `203.0.113.${index}`);
      expect(await evaluatedLogins('24', ofProvider)).toBe(40);
      expect(await evaluatedLogins('32', Array(50).fill('203.0.114.7'))).toBe(10);
      // The limit counts guesses at all targets together.
      let sprayed = 0;
      for (let target = 0; target < 100; target++)
        sprayed += await evaluatedLogins(`spray ${target}`, ['2001:db8:6:1::/64', '2001:db8:6:2::/64']);
      expect(sprayed).toBe(120);
    });
  });
});
