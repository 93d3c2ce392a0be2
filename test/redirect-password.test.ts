import { beforeEach, describe, expect, test } from 'bun:test';
import { dayLength, minuteLength } from '../src/rules/durations.ts';
import { serialized, startApp, storeKinds, type TestResponse } from './support/app.ts';
import { appWithOwner } from './support/app-suite.ts';
import { visitRaw } from './support/raw-http.ts';

const destination = 'https://destination.example/secret';

describe.each(storeKinds)('a link with a password on %s', (store) => {
  const { app, owner } = appWithOwner({ store });

  beforeEach(() => {
    // After the rate-limit windows of the previous test, as all tests guess from the same address.
    app.clock.now += 20 * minuteLength;
  });

  const createLink = (fields: object = {}) =>
    app.createLink(owner, { destination_url: destination, password: 'open sesame', ...fields });

  const guess = (path: string, password: string, headers: Record<string, string> = {}) =>
    app.visit(path, headers, { method: 'POST', body: new URLSearchParams({ password }) });

  async function passCookieFor(path: string): Promise<string> {
    return cookieOf(await guess(path, 'open sesame'));
  }

  const visit = (path: string, cookie: string) => app.visit(path, { cookie });

  test('asks for it, and shows nothing else of the link', async () => {
    const { path } = await createLink({
      name: 'hidden-name',
      ios_link_destination: 'https://hidden-ios.example',
    });
    const page = await app.visit(path);
    expect(page.status).toBe(200);
    expect(page.text).toContain('<form method="post">');
    expect(page.text).toContain('type="password"');
    expect(serialized(page)).not.toMatch(/destination\.example|hidden|open sesame|argon2/);
  });

  test('has no line breaks, which no form can send', async () => {
    for (const password of ['open sesame\n', 'open\rsesame']) {
      const body = { destination_url: destination, password };
      const { status, json } = await app.call('POST', '/api/v1/link', { key: owner.key, body });
      expect(status).toBe(400);
      expect(json).toMatchObject({
        error_code: 'FIELD_INVALID',
        error_string: '"password" must be on one line.',
      });
    }
  });

  test('responds to a wrong one with the same page and an error, and an empty one counts as no attempt', async () => {
    const { path } = await createLink();
    const wrong = await guess(path, 'open barley');
    expect(wrong.status).toBe(401);
    expect(wrong.text).toContain('That is not the password. Try again.');
    expect(serialized(wrong)).not.toMatch(/destination\.example|set-cookie|open barley/);
    for (let time = 0; time < 15; time++) expect((await guess(path, '')).status).toBe(401);
    expect((await guess(path, 'open sesame')).status).toBe(302);
  });

  test('redirects with the right one, and does not ask the same visitor again', async () => {
    const { path } = await createLink();
    const accepted = await guess(path, 'open sesame');
    expect([accepted.status, accepted.headers.get('location')]).toEqual([302, destination]);
    expect(accepted.headers.get('cache-control')).toBe('private, no-store');
    const cookie = cookieOf(accepted);
    for (const again of [path, `${path}/`, path])
      expect((await visit(again, cookie)).headers.get('location')).toBe(destination);
    expect((await visit(path, `other=1; ${cookie}; more=2`)).status).toBe(302);
    expect((await app.visit(path)).status).toBe(200);
  });

  test('sets a cookie that scripts, other sites and other paths do not get', async () => {
    const { path } = await createLink({ suffix: `folder/é-${store}` });
    const accepted = await guess(`${path}/`, 'open sesame');
    const [, ...attributes] = (accepted.headers.get('set-cookie') ?? '').split('; ');
    expect(attributes.sort()).toEqual(['HttpOnly', `Max-Age=${90 * 86_400}`, `Path=${path}`, 'SameSite=Lax']);
  });

  test('sets a cookie for all paths of a link that forwards them, whatever is in them', async () => {
    const { path } = await createLink({ forward_path: true });
    const accepted = await guess(`${path}/a;Domain=example;b/c`, 'open sesame');
    expect(accepted.headers.get('location')).toBe(`${destination}/a;Domain=example;b/c`);
    const [, ...attributes] = (accepted.headers.get('set-cookie') ?? '')
      .split(';')
      .map((part) => part.trim());
    expect(attributes.sort()).toEqual(['HttpOnly', `Max-Age=${90 * 86_400}`, `Path=${path}`, 'SameSite=Lax']);
  });

  test('sets a cookie for only this link, for a day, until the password changes', async () => {
    const { id, path } = await createLink();
    const other = await createLink();
    const cookie = await passCookieFor(path);
    expect((await visit(other.path, cookie)).status).toBe(200);
    const { now } = app.clock;
    app.clock.now = now + dayLength - 1;
    expect((await visit(path, cookie)).status).toBe(302);
    app.clock.now = now + dayLength;
    expect((await visit(path, cookie)).status).toBe(200);

    const newCookie = await passCookieFor(path);
    const change = (body: object) => app.call('PATCH', `/api/v1/link/${id}`, { key: owner.key, body });
    await change({ name: 'Something else' });
    expect((await visit(path, newCookie)).status).toBe(302);
    await change({ password: 'open sesame' });
    expect((await visit(path, newCookie)).status).toBe(200);
    await change({ password: null });
    expect((await app.visit(path)).status).toBe(302);
  });

  test('is not opened by a forged or altered cookie', async () => {
    const { path } = await createLink();
    const [name, pass = ''] = (await passCookieFor(path)).split('=');
    const [until = '', signature = ''] = pass.split('.');
    const forged = [
      '',
      '.',
      until,
      `${until}.`,
      `.${signature}`,
      `${Number(until) + 1}.${signature}`,
      `9${until}.${signature}`,
      `1e99.${signature}`,
      `Infinity.${signature}`,
      `${until}.${signature.slice(0, 15)}`,
      `${until}.${signature.slice(0, 8)}`,
      `${until}.${signature}x`,
      `${until}.${'A'.repeat(43)}`,
    ];
    for (const value of forged)
      expect([value, (await visit(path, `${name}=${value}`)).status]).toEqual([value, 200]);
    expect((await visit(path, `${name}=${pass}`)).status).toBe(302);
  });

  test('works below the path of another link with a password: both cookies have the same name', async () => {
    const upper = await createLink({ suffix: `nest-${store}` });
    const lower = await createLink({ suffix: `nest-${store}/lower`, password: 'another' });
    const lowerCookie = cookieOf(await guess(lower.path, 'another'));
    const upperCookie = await passCookieFor(upper.path);
    for (const cookie of [`${lowerCookie}; ${upperCookie}`, `${upperCookie}; ${lowerCookie}`])
      expect((await visit(lower.path, cookie)).status).toBe(302);
  });

  test('accepts ten wrong guesses in a quarter of an hour, then no visitor of that network may guess until it is over', async () => {
    const { path } = await createLink();
    for (let time = 1; time <= 10; time++) {
      const forwarded = { 'x-forwarded-for': `198.51.100.${time}`, forwarded: `for=198.51.100.${time}` };
      expect([time, (await guess(path, `wrong ${time}`, forwarded)).status]).toEqual([time, 401]);
    }
    const { now } = app.clock;
    for (const password of ['wrong', 'open sesame']) {
      const refused = await guess(path, password, { 'x-forwarded-for': '203.0.113.99' });
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toBe('900');
      expect(refused.text).toContain('Too many wrong attempts. Try again in 15 minutes.');
      expect(serialized(refused)).not.toMatch(/destination\.example|set-cookie/);
    }
    app.clock.now = now + 15 * minuteLength - 1;
    expect((await guess(path, 'open sesame')).status).toBe(429);
    app.clock.now = now + 15 * minuteLength;
    expect((await guess(path, 'open sesame')).status).toBe(302);
  });

  test('checks no more than ten of forty simultaneous guesses', async () => {
    const { path } = await createLink();
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, time) =>
        guess(path, `wrong ${time}`, { 'x-forwarded-for': `203.0.113.${time}` }),
      ),
    );
    const statuses = responses.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(30).fill(429)]);
  });

  test('does not count correct passwords, and a cookie keeps working when guessing is blocked', async () => {
    const { path } = await createLink();
    for (let time = 1; time <= 9; time++) {
      expect((await guess(path, 'wrong')).status).toBe(401);
      expect((await guess(path, 'open sesame')).status).toBe(302);
    }
    const cookie = await passCookieFor(path);
    expect((await guess(path, 'wrong')).status).toBe(401);
    expect((await guess(path, 'open sesame')).status).toBe(429);
    expect((await visit(path, cookie)).status).toBe(302);
    const { path: another } = await createLink();
    expect((await guess(another, 'open sesame')).status).toBe(302);
  });

  test('opens for a visitor whose form was loaded before the password was removed', async () => {
    const { id, path } = await createLink({ redirect_status: 308 });
    await app.call('PATCH', `/api/v1/link/${id}`, { key: owner.key, body: { password: '' } });
    const late = await guess(path, 'open sesame');
    expect([late.status, late.headers.get('location')]).toEqual([302, destination]);
    expect(late.headers.get('set-cookie')).toBeNull();
    const send = (body: URLSearchParams | FormData | string) => app.visit(path, {}, { method: 'POST', body });
    for (const other of [new URLSearchParams({ name: 'x' }), 'password=open+sesame', new FormData()])
      expect((await send(other)).status).toBe(405);
    await app.call('PATCH', `/api/v1/link/${id}`, { key: owner.key, body: { disabled: true } });
    expect((await guess(path, 'open sesame')).status).toBe(410);
  });

  test("reads a chunked form, and refuses anything but its page's form", async () => {
    const { path } = await createLink();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'transfer-encoding': 'chunked' };
    const chunked = await visitRaw(app.url, {
      method: 'POST',
      path,
      headers,
      unframed: '9\r\npassword=\r\nb\r\nopen+sesame\r\n0\r\n\r\n',
    });
    expect([chunked.status, chunked.headers.location]).toEqual([302, destination]);
    const tooLong = await visitRaw(app.url, {
      method: 'POST',
      path,
      headers,
      unframed: `${`1000\r\n${'a'.repeat(4096)}\r\n`.repeat(5)}0\r\n\r\n`,
    });
    expect(tooLong.status).toBe(400);
    const send = (type: string, body: string) =>
      app.visit(path, { 'content-type': type }, { method: 'POST', body });
    expect((await send('application/json', '{"password":"open sesame"}')).status).toBe(400);
    expect((await send('text/plain', 'password=open sesame')).status).toBe(400);
    expect((await send('application/x-www-form-urlencoded', 'x'.repeat(17_000))).status).toBe(400);
    expect(
      (await send('Application/X-WWW-Form-Urlencoded; charset=UTF-8', 'password=open+sesame')).status,
    ).toBe(302);
  });

  test('logs no error if a visitor disconnects in the middle of a form', async () => {
    const { path } = await createLink();
    const { path: withoutPassword } = await app.createLink(owner);
    const head = (to: string, length: string) =>
      `POST ${to} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\n${length}\r\n\r\n`;
    for (const [to, length, part] of [
      [path, 'Content-Length: 20', 'password='],
      [path, 'Transfer-Encoding: chunked', '9\r\npassword=\r\n'],
      [withoutPassword, 'Content-Length: 20', 'password='],
    ] as const) {
      const { promise: isReading, resolve } = Promise.withResolvers<void>();
      const address = { hostname: '127.0.0.1', port: Number(new URL(app.url).port) };
      const client = await Bun.connect({ ...address, socket: { data: () => resolve() } });
      client.write(head(to, length));
      await isReading;
      client.write(part);
      client.terminate();
    }
    // A fault is logged once the app server has noticed.
    await Bun.sleep(200);
    expect(app.faults).toEqual([]);
  });
});

test('while one household guesses, visitors of other networks and those with an expired cookie can still enter the password', async () => {
  const app = await startApp({ env: { TRUSTED_PROXIES: '1' } });
  const { key } = await app.createAccount();
  const body = { destination_url: destination, suffix: 'shared', password: 'open sesame' };
  await app.call('POST', '/api/v1/link', { key, body });
  const guess = (from: string, password: string, cookie = '') =>
    app.visit(
      '/shared',
      { 'x-forwarded-for': from, ...(cookie && { cookie }) },
      { method: 'POST', body: new URLSearchParams({ password }) },
    );
  const cookie = cookieOf(await guess('2001:db8:9:100::1', 'open sesame'));
  app.clock.now += 2 * dayLength;
  expect((await app.visit('/shared', { cookie })).status).toBe(200);

  const statuses = await Promise.all(
    Array.from({ length: 300 }, async (_, time) => {
      const network = (0x100 + (time % 256)).toString(16);
      return (await guess(`2001:db8:9:${network}::2`, `wrong ${time}`)).status;
    }),
  );
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(20);
  expect((await guess('2001:db8:9:100::1', 'open sesame')).status).toBe(429);
  for (const from of ['2001:db8:9:200::1', '198.51.100.7'])
    expect([from, (await guess(from, 'open sesame')).status]).toEqual([from, 302]);
  // The cookie has expired, but shows that this browser knew the password, so its guesses are counted separately.
  const again = await guess('2001:db8:9:100::1', 'open sesame', cookie);
  expect([again.status, (await app.visit('/shared', { cookie: cookieOf(again) })).status]).toEqual([
    302, 302,
  ]);
  app.clock.now += 90 * dayLength;
  for (let time = 0; time < 10; time++) await guess('203.0.113.5', 'wrong');
  expect((await guess('203.0.113.5', 'open sesame', cookie)).status).toBe(429);
  await app.stop();
});

test('with an https base URL, the cookie is only sent over HTTPS', async () => {
  const app = await startApp({ env: { BASE_URL: 'https://links.example.com' } });
  const host = 'links.example.com';
  const owner = await app.createAccount();
  const body = { destination_url: destination, suffix: 'locked', password: 'open sesame' };
  await app.call('POST', '/api/v1/link', { key: owner.key, body });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const accepted = await visitRaw(app.url, {
    method: 'POST',
    path: '/locked',
    host,
    headers,
    body: 'password=open+sesame',
  });
  expect(accepted.status).toBe(302);
  expect(accepted.headers['set-cookie']).toEndWith('; HttpOnly; SameSite=Lax; Secure');
  await app.stop();
});

const cookieOf = (response: TestResponse): string =>
  (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
