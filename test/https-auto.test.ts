import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { deleteCertificate, requestCertificate, updateCertificate } from '../src/storage/certificates.ts';
import { recordHostChange } from '../src/storage/host-changes.ts';
import {
  type Authority,
  type AutoApp,
  type CallOutcome,
  hasPebble,
  startAuthority,
  startAutoApp,
} from './support/acme.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { type RawRequest, visitRaw } from './support/raw-http.ts';
import { isResumed, secureSocket, sessionOf } from './support/tls-app.ts';

const ownHost = 'links.example.com';
const ownAddress = ['127.0.0.1'];
const day = 24 * 60 * 60_000;
/** The authority connects from 127.0.0.1, so visitors connect from another address. */
const visitor = { localAddress: '127.0.0.2' };

describe.skipIf(!hasPebble)('certificates from an authority', () => {
  let authority: Authority;
  let auto: AutoApp;
  let key: string;
  beforeAll(async () => {
    // This authority refuses some valid nonces, as authorities may.
    authority = await startAuthority({ refusedNonces: 30 });
    authority.names[ownHost] = { A: ownAddress };
    auto = await startAutoApp(authority);
    expect((await servedCertificate(ownHost)).name).toBe(`DNS:${ownHost}`);
    ({ key } = await auto.app.createAccount());
  });
  afterAll(async () => {
    await auto[Symbol.asyncDispose]();
    await authority[Symbol.asyncDispose]();
  });

  /** The name and the serial number of the certificate that a visitor gets. */
  async function servedCertificate(servername: string): Promise<{ name: string; serial: string }> {
    const socket = await secureSocket(auto.app, { servername, ...visitor });
    const { subjectaltname = '', serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return { name: subjectaltname, serial: serialNumber };
  }

  async function verifiedDomain(domain: string, address: readonly string[] = ownAddress): Promise<number> {
    const created = await auto.app.call('POST', '/api/v1/domain', { key, body: { domain } });
    authority.names[`_linnet.${domain}`] = { TXT: [created.json.records[0].value] };
    authority.names[domain] = { A: address };
    const { id } = created.json;
    expect((await auto.app.call('POST', `/api/v1/domain/${id}/verify`, { key })).json.state).toBe('verified');
    return id;
  }

  afterEach(() => {
    authority.outcomeOf = () => 'passed';
  });

  /** The certificate as the Domains page shows it. */
  const certificateOf = async (host: string) => {
    const domains = (await auto.app.call('GET', '/api/v1/domain', { key })).json;
    return domains.find(({ domain }: { domain: string }) => domain === host).certificate;
  };

  const ordersFor = (host: string) =>
    auto.lines('certificate issued').filter((line) => line.host === host).length;
  const dueHosts = () =>
    auto.inner.context.database.read
      .selectFrom('certificates')
      .select('host')
      .where('next_at', '<=', auto.app.clock.now)
      .execute();
  const rowOf = (host: string) =>
    auto.inner.context.database.read
      .selectFrom('certificates')
      .selectAll()
      .where('host', '=', host)
      .executeTakeFirstOrThrow();
  const updateRow = (host: string, changes: Parameters<typeof updateCertificate>[2]) =>
    auto.inner.context.database.write((queries) => updateCertificate(queries, host, changes));

  test("the service's own host has a certificate soon after the start, and its first visitors wait for it", async () => {
    expect((await servedCertificate(ownHost)).name).toBe(`DNS:${ownHost}`);
    expect(auto.lines('certificate issued')).toMatchObject([{ host: ownHost }]);
    const unnamed = await secureSocket(auto.app, { servername: '', ...visitor });
    expect(unnamed.getPeerCertificate().subjectaltname).toBe(`DNS:${ownHost}`);
    unnamed.destroy();
  });

  test('a custom domain gets a certificate at its first visit, one for all simultaneous visitors', async () => {
    const host = 'go.example.org';
    await verifiedDomain(host);
    expect(ordersFor(host)).toBe(0);
    expect(await certificateOf(host)).toEqual({ state: 'none', valid_until: null, problem: null });
    const visitors = await Promise.all(Array.from({ length: 8 }, () => servedCertificate(host)));
    expect(new Set(visitors.map(({ serial }) => serial)).size).toBe(1);
    expect(visitors[0]?.name).toBe(`DNS:${host}`);
    const certificate = await certificateOf(host);
    expect(certificate).toMatchObject({ state: 'ready', problem: null });
    expect(Date.parse(certificate.valid_until)).toBeGreaterThan(Date.now());
    expect(ordersFor(host)).toBe(1);
  });

  test('a name that is not a verified domain of this service is refused without an order', async () => {
    authority.names['stranger.example.net'] = { A: ownAddress };
    await auto.app.call('POST', '/api/v1/domain', { key, body: { domain: 'pending.example.net' } });
    const before = authority.calls.length;
    for (const name of ['stranger.example.net', 'pending.example.net'])
      await expect(secureSocket(auto.app, { servername: name, ...visitor })).rejects.toThrow();
    expect(authority.calls.length).toBe(before);
  });

  test('a certificate is renewed on the port without TLS, while visitors get the previous one', async () => {
    const before = await servedCertificate(ownHost);
    let challenges = 0;
    authority.outcomeOf = (_, path) => {
      if (path.startsWith('/chalZ/')) challenges += 1;
      return 'passed';
    };
    await updateRow(ownHost, { renew_at: 1, next_at: 1 });
    const seen = new Set<string>();
    await eventually(async () => {
      const { name, serial } = await servedCertificate(ownHost);
      expect(name).toBe(`DNS:${ownHost}`);
      seen.add(serial);
      return serial !== before.serial;
    }, 'the new certificate');
    expect(challenges).toBeGreaterThan(0);
    expect(seen.size).toBe(2);
  });

  test('an order for a name with another address fails, is logged with what to do, and delays no other order', async () => {
    const [failingHost, validHost] = ['lost.example.org', 'good.example.org'];
    await verifiedDomain(failingHost, ['127.0.0.77']);
    await verifiedDomain(validHost);
    const refused = secureSocket(auto.app, { servername: failingHost, ...visitor }).then(
      () => false,
      () => true,
    );
    expect((await servedCertificate(validHost)).name).toBe(`DNS:${validHost}`);
    const failureLines = () =>
      auto.lines('certificate not issued').filter(({ host }) => host === failingHost);
    await eventually(() => failureLines().length === 1, 'the first log line');
    // The other challenge type is tried at once.
    expect(Date.parse(String(failureLines()[0]?.again_at))).toBeLessThan(auto.app.clock.now + 2_000);
    auto.app.clock.now += 2_000;
    await eventually(async () => (await rowOf(failingHost)).failures === 2, 'the second attempt');
    // Each failure is logged, even if one follows another at once.
    await eventually(() => failureLines().length === 2, 'the second log line');
    expect(failureLines()[0]).toMatchObject({
      problem: 'connection',
      to_do: expect.stringContaining('open ports 443 and 80'),
    });
    expect((await rowOf(failingHost)).next_at).toBeGreaterThan(auto.app.clock.now + 4 * 60_000);
    // Its links still work over HTTP.
    const requestOverHttp = (host: string) =>
      fetch(`http://127.0.0.1:${auto.inner.httpPort}/nothing`, { headers: { host }, redirect: 'manual' });
    expect((await requestOverHttp(failingHost)).status).toBe(404);
    const redirect = await requestOverHttp(validHost);
    expect([redirect.status, redirect.headers.get('location')]).toEqual([
      308,
      `https://${validHost}/nothing`,
    ]);
    expect(await certificateOf(failingHost)).toMatchObject({
      state: 'failing',
      valid_until: null,
      problem: expect.stringContaining('open ports 443 and 80'),
    });
    expect(await refused).toBe(true);
  });

  test('all links of a name that gets no certificate are answered over http, also by the app server', async () => {
    const host = 'refused.example.org';
    await verifiedDomain(host);
    const overHttp = (path: string, request: Partial<RawRequest> = {}) =>
      visitRaw(`http://127.0.0.1:${auto.inner.httpPort}`, { path, host, ...request });
    const destination = 'https://shop.example.com/';
    for (const fields of [
      { suffix: 'locked', password: 'open sesame' },
      { suffix: 'checked', captcha: true },
      { suffix: 'limited', click_limit: 2 },
      { suffix: 'plain' },
      { suffix: 'café' },
    ]) {
      const body = { destination_url: destination, domain: host, ...fields };
      expect((await auto.app.call('POST', '/api/v1/link?disable_png=true', { key, body })).status).toBe(201);
    }
    const isRedirected = async () => (await overHttp('/locked')).status === 308;
    expect(await isRedirected()).toBe(true);
    const storeProblem = (problem: 'connection' | null, claimed_until: number | null = null) =>
      auto.inner.context.database.write(async (queries) => {
        await requestCertificate(queries, host, auto.app.clock.now);
        await updateCertificate(queries, host, { problem, claimed_until, next_at: auto.app.clock.now + day });
        await recordHostChange(queries, host, auto.app.clock.now);
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
    await storeProblem('connection', auto.app.clock.now + day);
    await eventually(async () => !(await isRedirected()), 'the answer over http while it is ordered again');
  });

  test('a rate limit of the authority is respected', async () => {
    const host = 'limited.example.org';
    await verifiedDomain(host);
    authority.outcomeOf = (_, path) =>
      path === '/order-plz'
        ? Response.json(
            { type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many certificates' },
            {
              status: 429,
              headers: {
                'retry-after': new Date(Date.now() + day).toUTCString(),
                'content-type': 'application/problem+json',
              },
            },
          )
        : 'passed';
    const refused = expect(secureSocket(auto.app, { servername: host, ...visitor })).rejects.toThrow();
    await eventually(async () => (await rowOf(host)).failures === 1, 'the refusal');
    authority.outcomeOf = () => 'passed';
    expect(await rowOf(host)).toMatchObject({
      problem: 'rate_limit',
      problem_detail: 'too many certificates',
    });
    expect((await rowOf(host)).next_at).toBeGreaterThan(Date.now() + 23 * 60 * 60_000);
    // Later it gets a certificate.
    await updateRow(host, { next_at: 1 });
    await refused;
    expect((await servedCertificate(host)).name).toBe(`DNS:${host}`);
  });

  test('lost responses only cause a short delay', async () => {
    const host = 'lossy.example.org';
    await verifiedDomain(host);
    let calls = 0;
    // Losing every third call could lose every retry that follows a refused nonce.
    authority.outcomeOf = () => (++calls % 4 === 0 ? 'lost' : 'passed');
    // Includes the state of the order, for the message if this ever times out.
    const state = async () => ({
      name: await servedCertificate(host).then(({ name }) => name, String),
      row: await rowOf(host),
      calls: authority.calls.slice(-20),
    });
    await pollUntil(state, ({ name }) => name === `DNS:${host}`, 'the certificate');
    expect(auto.lines('certificate not issued').filter((line) => line.host === host)).toEqual([]);
  });

  test('no more orders are made in a week than authorities allow', async () => {
    const host = 'often.example.org';
    await verifiedDomain(host);
    await servedCertificate(host);
    const times = Array.from({ length: 5 }, (_, index) => auto.app.clock.now - (index + 1) * 1_000);
    await updateRow(host, { orders: times.toReversed().join(' '), renew_at: 1, next_at: 1 });
    await eventually(async () => (await rowOf(host)).problem === 'too_often', 'the problem');
    expect((await rowOf(host)).next_at).toBeGreaterThan(auto.app.clock.now + 6 * 24 * 60 * 60_000);
    expect(ordersFor(host)).toBe(1);
    const failureLines = auto.lines('certificate not issued').filter((line) => line.host === host);
    expect(failureLines).toMatchObject([
      { problem: 'too_often', to_do: expect.stringContaining('a week old') },
    ]);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'sessions of %s are resumed, even after names are loaded again',
    async (version) => {
      for (const servername of [ownHost, 'go.example.org']) {
        const options = { servername, ...visitor, minVersion: version, maxVersion: version };
        const session = await sessionOf(auto.app, options);
        expect(await isResumed(auto.app, session, options)).toBe(true);
        auto.app.clock.now += 7 * 60 * 60_000;
        await servedCertificate(ownHost);
        expect(await isResumed(auto.app, session, options)).toBe(true);
      }
    },
  );

  test('a deleted domain is no longer served', async () => {
    const host = 'gone.example.org';
    const id = await verifiedDomain(host);
    await servedCertificate(host);
    await auto.app.call('DELETE', `/api/v1/domain/${id}`, { key });
    await eventually(
      () =>
        secureSocket(auto.app, { servername: host, ...visitor }).then(
          () => false,
          () => true,
        ),
      'the refusal',
    );
    expect(ordersFor(host)).toBe(1);
  });

  test('a domain that is removed during its order is not served', async () => {
    const host = 'fleeting.example.org';
    // They would be taken for this one's.
    await eventually(async () => (await dueHosts()).length === 0, 'the end of orders of other tests');
    const id = await verifiedDomain(host);
    const [finalizing, proceed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    authority.outcomeOf = async (_, path): Promise<CallOutcome> => {
      if (!path.startsWith('/finalize-order/')) return 'passed';
      finalizing.resolve();
      await proceed.promise;
      return 'passed';
    };
    const waiting = servedCertificate(host).catch(() => 'refused');
    await finalizing.promise;
    await auto.app.call('DELETE', `/api/v1/domain/${id}`, { key });
    proceed.resolve();
    expect(await waiting).toBe('refused');
    await pollUntil(
      () => rowOf(host),
      ({ chain }) => chain !== null,
      'the end of the order',
    );
    await expect(secureSocket(auto.app, { servername: host, ...visitor })).rejects.toThrow();
  });

  test('a name whose row another node deleted gets a new certificate at the next visit', async () => {
    const host = 'again.example.org';
    await verifiedDomain(host);
    const before = await servedCertificate(host);
    await auto.inner.context.database.write(async (queries) => {
      await deleteCertificate(queries, host);
      await recordHostChange(queries, host, auto.app.clock.now);
    });
    auto.app.clock.now += 61_000;
    await eventually(
      () =>
        servedCertificate(host).then(
          ({ serial }) => serial !== before.serial,
          () => false,
        ),
      'another certificate',
    );
    expect((await servedCertificate(host)).name).toBe(`DNS:${host}`);
  });

  test('times stored by a clock that was years ahead are corrected once the clock is right', async () => {
    const host = 'early.example.org';
    await verifiedDomain(host);
    const futureTime = auto.app.clock.now + 5 * 365 * day;
    await auto.inner.context.database.write(async (queries) => {
      await requestCertificate(queries, host, futureTime);
      const orders = Array.from({ length: 5 }, () => futureTime).join(' ');
      await updateCertificate(queries, host, {
        claimed_until: futureTime,
        problem: 'connection',
        failures: 3,
        orders,
      });
    });
    auto.app.clock.now += 61 * 60_000;
    await eventually(async () => (await rowOf(host)).chain !== null, 'its certificate');
    expect((await servedCertificate(host)).name).toBe(`DNS:${host}`);
  });

  test('an expired certificate is served while the authority is unavailable, which is reported, and then replaced', async () => {
    const host = 'over.example.org';
    await verifiedDomain(host);
    const before = await servedCertificate(host);
    authority.outcomeOf = () => new Response(null, { status: 503 });
    await auto.inner.context.database.write(async (queries) => {
      await updateCertificate(queries, host, { not_after: auto.app.clock.now - 1, renew_at: 1, next_at: 1 });
      await recordHostChange(queries, host, auto.app.clock.now);
    });
    await eventually(async () => (await rowOf(host)).problem === 'authority_away', 'the failure');
    expect(await servedCertificate(host)).toEqual(before);
    expect(await certificateOf(host)).toMatchObject({
      state: 'failing',
      problem: expect.stringContaining('authority'),
    });
    authority.outcomeOf = () => 'passed';
    await updateRow(host, { next_at: 1 });
    await eventually(async () => (await servedCertificate(host)).serial !== before.serial, 'the new one');
  });
});
