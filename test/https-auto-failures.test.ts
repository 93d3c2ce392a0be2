import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { dayLength, hourLength } from '../src/rules/durations.ts';
import { requestCertificate, updateCertificate } from '../src/storage/certificates.ts';
import { recordHostChange } from '../src/storage/marked-changes.ts';
import { hasPebble, ownHost, visitor } from './support/acme.ts';
import { CertificateFixture } from './support/certificate-fixture.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { type RawRequest, visitRaw } from './support/raw-http.ts';
import { secureSocket } from './support/tls-app.ts';

describe.skipIf(!hasPebble)('orders that fail, and what visitors get meanwhile', () => {
  let fixture: CertificateFixture;
  beforeAll(async () => {
    fixture = await CertificateFixture.start();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  afterEach(() => {
    fixture.authority.outcomeOf = () => 'passed';
  });

  test('an order for a name with another address fails, is logged with what to do, and delays no other order', async () => {
    const [failingHost, validHost] = ['lost.example.org', 'good.example.org'];
    await fixture.verifiedDomain(failingHost, ['127.0.0.77']);
    await fixture.verifiedDomain(validHost);
    const refused = secureSocket(fixture.app, { servername: failingHost, ...visitor }).then(
      () => false,
      () => true,
    );
    expect((await fixture.servedCertificate(validHost)).name).toBe(`DNS:${validHost}`);
    const failureLines = () => fixture.failuresOf(failingHost);
    await eventually(() => failureLines().length === 1, 'the first log line');
    // The other challenge type is tried at once.
    expect(Date.parse(String(failureLines()[0]?.again_at))).toBeLessThan(fixture.app.clock.now + 2_000);
    fixture.app.clock.now += 2_000;
    await eventually(async () => (await fixture.rowOf(failingHost)).failures === 2, 'the second attempt');
    // Each failure is logged, even if one follows another at once.
    await eventually(() => failureLines().length === 2, 'the second log line');
    expect(failureLines()[0]).toMatchObject({
      problem: 'connection',
      to_do: expect.stringContaining('open ports 443 and 80'),
    });
    expect((await fixture.rowOf(failingHost)).next_at).toBeGreaterThan(fixture.app.clock.now + 4 * 60_000);
    // Its links still work over HTTP.
    const requestOverHttp = (host: string) =>
      fetch(`http://127.0.0.1:${fixture.auto.inner.httpPort}/nothing`, {
        headers: { host },
        redirect: 'manual',
      });
    expect((await requestOverHttp(failingHost)).status).toBe(404);
    const redirect = await requestOverHttp(validHost);
    expect([redirect.status, redirect.headers.get('location')]).toEqual([
      308,
      `https://${validHost}/nothing`,
    ]);
    expect(await fixture.certificateOf(failingHost)).toMatchObject({
      state: 'failing',
      valid_until: null,
      problem: expect.stringContaining('open ports 443 and 80'),
    });
    expect(await refused).toBe(true);
  });

  test('all links of a name that gets no certificate are answered over http, also by the app server', async () => {
    const host = 'refused.example.org';
    await fixture.verifiedDomain(host);
    const overHttp = (path: string, request: Partial<RawRequest> = {}) =>
      visitRaw(`http://127.0.0.1:${fixture.auto.inner.httpPort}`, { path, host, ...request });
    const destination = 'https://shop.example.com/';
    for (const fields of [
      { suffix: 'locked', password: 'open sesame' },
      { suffix: 'checked', captcha: true },
      { suffix: 'limited', click_limit: 2 },
      { suffix: 'plain' },
      { suffix: 'café' },
    ]) {
      const body = { destination_url: destination, domain: host, ...fields };
      expect(
        (await fixture.app.call('POST', '/api/v1/link?disable_png=true', { key: fixture.key, body })).status,
      ).toBe(201);
    }
    const isRedirected = async () => (await overHttp('/locked')).status === 308;
    expect(await isRedirected()).toBe(true);
    const storeProblem = (problem: 'connection' | null, claimed_until: number | null = null) =>
      fixture.auto.inner.context.database.write(async (queries) => {
        await requestCertificate(queries, host, fixture.app.clock.now);
        await updateCertificate(queries, host, {
          problem,
          claimed_until,
          next_at: fixture.app.clock.now + dayLength,
        });
        await recordHostChange(queries, host, fixture.app.clock.now);
      });
    await storeProblem('connection');
    await eventually(async () => !(await isRedirected()), 'the answer over http');

    const asked = await overHttp('/locked');
    expect([asked.status, asked.body]).toEqual([200, expect.stringContaining('type="password"')]);
    const form = {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'password=open+sesame',
    };
    const admitted = await overHttp('/locked', form);
    expect([admitted.status, admitted.headers.location]).toEqual([302, destination]);
    expect((await overHttp('/checked')).body).toContain('/_linnet/captcha.js');
    expect((await overHttp('/_linnet/captcha.js')).status).toBe(200);
    for (const path of ['/limited', '/plain', '/café', '/x/../plain'])
      expect((await overHttp(path)).headers.location).toBe(destination);
    expect((await overHttp('/plain', { body: '' })).headers.location).toBe(destination);
    expect((await overHttp('/plain', { method: 'POST' })).status).toBe(405);

    // The dashboard and the API aren't on this domain, and on the service's own everything is redirected.
    for (const path of ['/app', '/api/v1/session']) expect((await overHttp(path)).status).toBe(404);
    for (const path of ['/', '/app', '/api/v1/session', '/nothing', '/_linnet/captcha.js']) {
      const redirect = await overHttp(path, { method: 'POST', host: ownHost });
      expect([redirect.status, redirect.headers.location]).toEqual([308, `https://${ownHost}${path}`]);
    }
    await storeProblem(null);
    await eventually(isRedirected, 'the redirect');
    // Browsers keep a redirect for longer than an order that fails once more takes.
    await storeProblem('connection', fixture.app.clock.now + dayLength);
    await eventually(async () => !(await isRedirected()), 'the answer over http while it is ordered again');
  });

  test('a rate limit of the authority is respected', async () => {
    const host = 'limited.example.org';
    await fixture.verifiedDomain(host);
    fixture.authority.outcomeOf = (_, path) =>
      path === '/order-plz'
        ? Response.json(
            { type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many certificates' },
            {
              status: 429,
              headers: {
                'retry-after': new Date(Date.now() + dayLength).toUTCString(),
                'content-type': 'application/problem+json',
              },
            },
          )
        : 'passed';
    const refused = expect(secureSocket(fixture.app, { servername: host, ...visitor })).rejects.toThrow();
    await eventually(async () => (await fixture.rowOf(host)).failures === 1, 'the refusal');
    fixture.authority.outcomeOf = () => 'passed';
    expect(await fixture.rowOf(host)).toMatchObject({
      problem: 'rate_limit',
      problem_detail: 'too many certificates',
    });
    expect((await fixture.rowOf(host)).next_at).toBeGreaterThan(Date.now() + 23 * hourLength);
    // Later it gets a certificate.
    await fixture.updateRow(host, { next_at: 1 });
    await refused;
    expect((await fixture.servedCertificate(host)).name).toBe(`DNS:${host}`);
  });

  test('lost responses only cause a short delay', async () => {
    const host = 'lossy.example.org';
    await fixture.verifiedDomain(host);
    let calls = 0;
    // Losing every third call could lose every retry that follows a refused nonce.
    fixture.authority.outcomeOf = () => (++calls % 4 === 0 ? 'lost' : 'passed');
    // Includes the state of the order, for the message if this ever times out.
    const state = async () => ({
      name: await fixture.servedCertificate(host).then(({ name }) => name, String),
      row: await fixture.rowOf(host),
      calls: fixture.authority.calls.slice(-20),
    });
    await pollUntil(state, ({ name }) => name === `DNS:${host}`, 'the certificate');
    expect(fixture.failuresOf(host)).toEqual([]);
  });

  test('no more orders are made in a week than authorities allow', async () => {
    const host = 'often.example.org';
    await fixture.verifiedDomain(host);
    await fixture.servedCertificate(host);
    const times = Array.from({ length: 5 }, (_, index) => fixture.app.clock.now - (index + 1) * 1_000);
    await fixture.updateRow(host, { orders: times.toReversed().join(' '), renew_at: 1, next_at: 1 });
    await eventually(async () => (await fixture.rowOf(host)).problem === 'too_often', 'the problem');
    expect((await fixture.rowOf(host)).next_at).toBeGreaterThan(fixture.app.clock.now + 6 * dayLength);
    expect(fixture.ordersFor(host)).toBe(1);
    const failureLines = fixture.failuresOf(host);
    expect(failureLines).toMatchObject([
      { problem: 'too_often', to_do: expect.stringContaining('a week old') },
    ]);
  });

  test('times stored by a clock that was years ahead are corrected once the clock is right', async () => {
    const host = 'early.example.org';
    await fixture.verifiedDomain(host);
    const futureTime = fixture.app.clock.now + 5 * 365 * dayLength;
    await fixture.auto.inner.context.database.write(async (queries) => {
      await requestCertificate(queries, host, futureTime);
      const orders = Array.from({ length: 5 }, () => futureTime).join(' ');
      await updateCertificate(queries, host, {
        claimed_until: futureTime,
        problem: 'connection',
        failures: 3,
        orders,
      });
    });
    fixture.app.clock.now += 61 * 60_000;
    await eventually(async () => (await fixture.rowOf(host)).chain !== null, 'its certificate');
    expect((await fixture.servedCertificate(host)).name).toBe(`DNS:${host}`);
  });

  test('an expired certificate is served while the authority is unavailable, which is reported, and then replaced', async () => {
    const host = 'over.example.org';
    await fixture.verifiedDomain(host);
    const before = await fixture.servedCertificate(host);
    fixture.authority.outcomeOf = () => new Response(null, { status: 503 });
    await fixture.auto.inner.context.database.write(async (queries) => {
      await updateCertificate(queries, host, {
        not_after: fixture.app.clock.now - 1,
        renew_at: 1,
        next_at: 1,
      });
      await recordHostChange(queries, host, fixture.app.clock.now);
    });
    await eventually(async () => (await fixture.rowOf(host)).problem === 'authority_away', 'the failure');
    expect(await fixture.servedCertificate(host)).toEqual(before);
    expect(await fixture.certificateOf(host)).toMatchObject({
      state: 'failing',
      problem: expect.stringContaining('authority'),
    });
    fixture.authority.outcomeOf = () => 'passed';
    await fixture.updateRow(host, { next_at: 1 });
    await eventually(
      async () => (await fixture.servedCertificate(host)).serial !== before.serial,
      'the new one',
    );
  });
});
