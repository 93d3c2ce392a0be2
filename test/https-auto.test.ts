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
import { answerWhen, eventually } from './support/eventually.ts';
import { isResumed, secureSocket, sessionOf } from './support/tls-app.ts';

const own = 'links.example.com';
const here = ['127.0.0.1'];
const day = 24 * 60 * 60_000;
/** The authority connects from 127.0.0.1, so visitors connect from elsewhere. */
const visitor = { localAddress: '127.0.0.2' };

describe.skipIf(!hasPebble)('certificates from an authority', () => {
  let authority: Authority;
  let auto: AutoApp;
  let key: string;
  beforeAll(async () => {
    // It refuses some valid nonces, as authorities may.
    authority = await startAuthority({ refusedNonces: 30 });
    authority.names[own] = { A: here };
    auto = await startAutoApp(authority);
    expect((await shown(own)).name).toBe(`DNS:${own}`);
    ({ key } = await auto.app.createAccount());
  });
  afterAll(async () => {
    await auto[Symbol.asyncDispose]();
    await authority[Symbol.asyncDispose]();
  });

  /** The name and the serial number of the certificate that a visitor gets. */
  async function shown(servername: string): Promise<{ name: string; serial: string }> {
    const socket = await secureSocket(auto.app, { servername, ...visitor });
    const { subjectaltname = '', serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return { name: subjectaltname, serial: serialNumber };
  }

  async function verifiedDomain(domain: string, address: readonly string[] = here): Promise<number> {
    const made = await auto.app.call('POST', '/api/v1/domain', { key, body: { domain } });
    authority.names[`_linnet.${domain}`] = { TXT: [made.json.records[0].value] };
    authority.names[domain] = { A: address };
    const { id } = made.json;
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
  const rowOf = (host: string) =>
    auto.inner.context.database.read
      .selectFrom('certificates')
      .selectAll()
      .where('host', '=', host)
      .executeTakeFirstOrThrow();
  const note = (host: string, changes: Parameters<typeof updateCertificate>[2]) =>
    auto.inner.context.database.write((queries) => updateCertificate(queries, host, changes));

  test("the service's own host has one soon after the start, and its first visitors wait for it", async () => {
    expect((await shown(own)).name).toBe(`DNS:${own}`);
    expect(auto.lines('certificate issued')).toMatchObject([{ host: own }]);
    const unnamed = await secureSocket(auto.app, { servername: '', ...visitor });
    expect(unnamed.getPeerCertificate().subjectaltname).toBe(`DNS:${own}`);
    unnamed.destroy();
  });

  test('a custom domain gets one at its first visit, once for all simultaneous visitors', async () => {
    const host = 'go.example.org';
    await verifiedDomain(host);
    expect(ordersFor(host)).toBe(0);
    expect(await certificateOf(host)).toEqual({ state: 'none', valid_until: null, problem: null });
    const visitors = await Promise.all(Array.from({ length: 8 }, () => shown(host)));
    expect(new Set(visitors.map(({ serial }) => serial)).size).toBe(1);
    expect(visitors[0]?.name).toBe(`DNS:${host}`);
    const certificate = await certificateOf(host);
    expect(certificate).toMatchObject({ state: 'ready', problem: null });
    expect(Date.parse(certificate.valid_until)).toBeGreaterThan(Date.now());
    expect(ordersFor(host)).toBe(1);
  });

  test('a name that is no verified domain of this service is refused without an order', async () => {
    authority.names['stranger.example.net'] = { A: here };
    await auto.app.call('POST', '/api/v1/domain', { key, body: { domain: 'pending.example.net' } });
    const before = authority.calls.length;
    for (const name of ['stranger.example.net', 'pending.example.net'])
      await expect(secureSocket(auto.app, { servername: name, ...visitor })).rejects.toThrow();
    expect(authority.calls.length).toBe(before);
  });

  test('it is renewed on the port without TLS, while visitors get the previous one', async () => {
    const before = await shown(own);
    let asked = 0;
    authority.outcomeOf = (_, path) => {
      if (path.startsWith('/chalZ/')) asked += 1;
      return 'passed';
    };
    await note(own, { renew_at: 1, next_at: 1 });
    const seen = new Set<string>();
    await eventually(async () => {
      const { name, serial } = await shown(own);
      expect(name).toBe(`DNS:${own}`);
      seen.add(serial);
      return serial !== before.serial;
    }, 'the new certificate');
    expect(asked).toBeGreaterThan(0);
    expect(seen.size).toBe(2);
  });

  test('a name that points elsewhere fails, is reported with what to do, and delays no other', async () => {
    const [lost, good] = ['lost.example.org', 'good.example.org'];
    await verifiedDomain(lost, ['127.0.0.77']);
    await verifiedDomain(good);
    const refused = secureSocket(auto.app, { servername: lost, ...visitor }).then(
      () => false,
      () => true,
    );
    expect((await shown(good)).name).toBe(`DNS:${good}`);
    const told = () => auto.lines('certificate not issued').filter(({ host }) => host === lost);
    await eventually(() => told().length === 1, 'the first line');
    // The other challenge type is tried at once.
    expect(Date.parse(String(told()[0]?.again_at))).toBeLessThan(auto.app.clock.now + 2_000);
    auto.app.clock.now += 2_000;
    await eventually(async () => (await rowOf(lost)).failures === 2, 'the second try');
    // Each failure is logged, however soon one follows another.
    await eventually(() => told().length === 2, 'the second line');
    expect(told()[0]).toMatchObject({
      problem: 'connection',
      to_do: expect.stringContaining('open ports 443 and 80'),
    });
    expect((await rowOf(lost)).next_at).toBeGreaterThan(auto.app.clock.now + 4 * 60_000);
    // Its links still work over HTTP.
    const plain = (host: string) =>
      fetch(`http://127.0.0.1:${auto.inner.httpPort}/nothing`, { headers: { host }, redirect: 'manual' });
    expect((await plain(lost)).status).toBe(404);
    const secure = await plain(good);
    expect([secure.status, secure.headers.get('location')]).toEqual([308, `https://${good}/nothing`]);
    expect(await certificateOf(lost)).toMatchObject({
      state: 'failing',
      valid_until: null,
      problem: expect.stringContaining('open ports 443 and 80'),
    });
    expect(await refused).toBe(true);
  });

  test('a limit of the authority is respected', async () => {
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
    await note(host, { next_at: 1 });
    await refused;
    expect((await shown(host)).name).toBe(`DNS:${host}`);
  });

  test('lost responses only cause a short delay', async () => {
    const host = 'lossy.example.org';
    await verifiedDomain(host);
    let calls = 0;
    // Losing every third call could hit every retry that begins with a refused nonce, in step with it.
    authority.outcomeOf = () => (++calls % 4 === 0 ? 'lost' : 'passed');
    // Includes the state of the order, for the message if this ever times out.
    const look = async () => ({
      name: await shown(host).then(({ name }) => name, String),
      row: await rowOf(host),
      calls: authority.calls.slice(-20),
    });
    await answerWhen(look, ({ name }) => name === `DNS:${host}`, 'the certificate');
    expect(auto.lines('certificate not issued').filter((line) => line.host === host)).toEqual([]);
  });

  test('no more orders are made in a week than authorities allow', async () => {
    const host = 'often.example.org';
    await verifiedDomain(host);
    await shown(host);
    const times = Array.from({ length: 5 }, (_, index) => auto.app.clock.now - (index + 1) * 1_000);
    await note(host, { orders: times.toReversed().join(' '), renew_at: 1, next_at: 1 });
    await eventually(async () => (await rowOf(host)).problem === 'too_often', 'the problem');
    expect((await rowOf(host)).next_at).toBeGreaterThan(auto.app.clock.now + 6 * 24 * 60 * 60_000);
    expect(ordersFor(host)).toBe(1);
    const told = auto.lines('certificate not issued').filter((line) => line.host === host);
    expect(told).toMatchObject([{ problem: 'too_often', to_do: expect.stringContaining('a week old') }]);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'sessions of %s are resumed, even after names are loaded again',
    async (version) => {
      for (const servername of [own, 'go.example.org']) {
        const options = { servername, ...visitor, minVersion: version, maxVersion: version };
        const session = await sessionOf(auto.app, options);
        expect(await isResumed(auto.app, session, options)).toBe(true);
        auto.app.clock.now += 7 * 60 * 60_000;
        await shown(own);
        expect(await isResumed(auto.app, session, options)).toBe(true);
      }
    },
  );

  test('a deleted domain is no longer served', async () => {
    const host = 'gone.example.org';
    const id = await verifiedDomain(host);
    await shown(host);
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
    const id = await verifiedDomain(host);
    const [ordered, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    authority.outcomeOf = async (_, path): Promise<CallOutcome> => {
      if (!path.startsWith('/finalize-order/')) return 'passed';
      ordered.resolve();
      await goOn.promise;
      return 'passed';
    };
    const waiting = shown(host).catch(() => 'refused');
    await ordered.promise;
    await auto.app.call('DELETE', `/api/v1/domain/${id}`, { key });
    goOn.resolve();
    expect(await waiting).toBe('refused');
    await eventually(async () => (await rowOf(host)).chain !== null, 'the end of the order');
    await expect(secureSocket(auto.app, { servername: host, ...visitor })).rejects.toThrow();
  });

  test('a name whose row another node deleted gets a new one when visitors return', async () => {
    const host = 'again.example.org';
    await verifiedDomain(host);
    const before = await shown(host);
    await auto.inner.context.database.write(async (queries) => {
      await deleteCertificate(queries, host);
      await recordHostChange(queries, host, auto.app.clock.now);
    });
    auto.app.clock.now += 61_000;
    await eventually(
      () =>
        shown(host).then(
          ({ serial }) => serial !== before.serial,
          () => false,
        ),
      'another certificate',
    );
    expect((await shown(host)).name).toBe(`DNS:${host}`);
  });

  test('times stored by a clock that was years ahead are corrected once the clock is right', async () => {
    const host = 'early.example.org';
    await verifiedDomain(host);
    const wrong = auto.app.clock.now + 5 * 365 * day;
    await auto.inner.context.database.write(async (queries) => {
      await requestCertificate(queries, host, wrong);
      const orders = Array.from({ length: 5 }, () => wrong).join(' ');
      await updateCertificate(queries, host, {
        claimed_until: wrong,
        problem: 'connection',
        failures: 3,
        orders,
      });
    });
    auto.app.clock.now += 61 * 60_000;
    await eventually(async () => (await rowOf(host)).chain !== null, 'its certificate');
    expect((await shown(host)).name).toBe(`DNS:${host}`);
  });

  test('an expired one is served while the authority is away, which is reported, and then replaced', async () => {
    const host = 'over.example.org';
    await verifiedDomain(host);
    const before = await shown(host);
    authority.outcomeOf = () => new Response(null, { status: 503 });
    await auto.inner.context.database.write(async (queries) => {
      await updateCertificate(queries, host, { not_after: auto.app.clock.now - 1, renew_at: 1, next_at: 1 });
      await recordHostChange(queries, host, auto.app.clock.now);
    });
    await eventually(async () => (await rowOf(host)).problem === 'authority_away', 'the failure');
    expect(await shown(host)).toEqual(before);
    expect(await certificateOf(host)).toMatchObject({
      state: 'failing',
      problem: expect.stringContaining('authority'),
    });
    authority.outcomeOf = () => 'passed';
    await note(host, { next_at: 1 });
    await eventually(async () => (await shown(host)).serial !== before.serial, 'the new one');
  });

  test('keys are stored sealed', async () => {
    const { read } = auto.inner.context.database;
    const rows = await read.selectFrom('certificates').select('sealed_key').execute();
    const settings = await read
      .selectFrom('settings')
      .selectAll()
      .where('key', 'like', 'acme_account%')
      .execute();
    expect(settings).toHaveLength(1);
    for (const text of [...rows.map(({ sealed_key }) => sealed_key), ...settings.map(({ value }) => value)])
      expect(text ?? '').not.toContain('PRIVATE');
  });
});
