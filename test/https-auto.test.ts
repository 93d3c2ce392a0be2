import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { hourLength } from '../src/rules/durations.ts';
import { deleteCertificate } from '../src/storage/certificates.ts';
import { recordHostChange } from '../src/storage/marked-changes.ts';
import { type CallOutcome, hasPebble, ownHost, visitor } from './support/acme.ts';
import { CertificateFixture, ownAddress } from './support/certificate-fixture.ts';
import { eventually, pollUntil } from './support/eventually.ts';
import { isResumed, secureSocket, sessionOf } from './support/tls-app.ts';

describe.skipIf(!hasPebble)('certificates from an authority', () => {
  let fixture: CertificateFixture;
  beforeAll(async () => {
    fixture = await CertificateFixture.start();
  });
  afterAll(() => fixture[Symbol.asyncDispose]());
  afterEach(() => {
    fixture.authority.outcomeOf = () => 'passed';
  });

  test("the service's own host has a certificate soon after the start, and its first visitors wait for it", async () => {
    expect((await fixture.servedCertificate(ownHost)).name).toBe(`DNS:${ownHost}`);
    expect(fixture.auto.lines('certificate issued')).toMatchObject([{ host: ownHost }]);
    const unnamed = await secureSocket(fixture.app, { servername: '', ...visitor });
    expect(unnamed.getPeerCertificate().subjectaltname).toBe(`DNS:${ownHost}`);
    unnamed.destroy();
  });

  test('a custom domain gets a certificate at its first visit, one for all simultaneous visitors', async () => {
    const host = 'go.example.org';
    await fixture.verifiedDomain(host);
    expect(fixture.ordersFor(host)).toBe(0);
    expect(await fixture.certificateOf(host)).toEqual({ state: 'none', valid_until: null, problem: null });
    const visitors = await Promise.all(Array.from({ length: 8 }, () => fixture.servedCertificate(host)));
    expect(new Set(visitors.map(({ serial }) => serial)).size).toBe(1);
    expect(visitors[0]?.name).toBe(`DNS:${host}`);
    const certificate = await fixture.certificateOf(host);
    expect(certificate).toMatchObject({ state: 'ready', problem: null });
    expect(Date.parse(certificate.valid_until)).toBeGreaterThan(Date.now());
    expect(fixture.ordersFor(host)).toBe(1);
  });

  test('a name that is not a verified domain of this service is refused without an order', async () => {
    fixture.authority.names['stranger.example.net'] = { A: ownAddress };
    await fixture.app.call('POST', '/api/v1/domain', {
      key: fixture.key,
      body: { domain: 'pending.example.net' },
    });
    const before = fixture.authority.calls.length;
    for (const name of ['stranger.example.net', 'pending.example.net'])
      await expect(secureSocket(fixture.app, { servername: name, ...visitor })).rejects.toThrow();
    expect(fixture.authority.calls.length).toBe(before);
  });

  test('a certificate is renewed on the port without TLS, while visitors get the previous one', async () => {
    /** Whether the name was validated for it. */
    async function renew(): Promise<boolean> {
      const before = await fixture.servedCertificate(ownHost);
      const callsBefore = fixture.authority.calls.length;
      await fixture.updateRow(ownHost, { renew_at: 1, next_at: 1 });
      const seen = new Set<string>();
      await eventually(async () => {
        const { name, serial } = await fixture.servedCertificate(ownHost);
        expect(name).toBe(`DNS:${ownHost}`);
        seen.add(serial);
        return serial !== before.serial;
      }, 'the new certificate');
      expect(seen.size).toBe(2);
      return fixture.authority.calls.slice(callsBefore).some((call) => call.startsWith('POST /chalZ/'));
    }
    // Pebble uses one in a hundred validations again, even with PEBBLE_AUTHZREUSE=0.
    expect((await renew()) || (await renew())).toBe(true);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'sessions of %s are resumed, even after names are loaded again',
    async (version) => {
      for (const servername of [ownHost, 'go.example.org']) {
        const options = { servername, ...visitor, minVersion: version, maxVersion: version };
        const session = await sessionOf(fixture.app, options);
        expect(await isResumed(fixture.app, session, options)).toBe(true);
        fixture.app.clock.now += 7 * hourLength;
        await fixture.servedCertificate(ownHost);
        expect(await isResumed(fixture.app, session, options)).toBe(true);
      }
    },
  );

  test('a deleted domain is no longer served', async () => {
    const host = 'gone.example.org';
    const id = await fixture.verifiedDomain(host);
    await fixture.servedCertificate(host);
    await fixture.app.call('DELETE', `/api/v1/domain/${id}`, { key: fixture.key });
    await eventually(
      () =>
        secureSocket(fixture.app, { servername: host, ...visitor }).then(
          () => false,
          () => true,
        ),
      'the refusal',
    );
    expect(fixture.ordersFor(host)).toBe(1);
  });

  test('a domain that is removed during its order is not served', async () => {
    const host = 'fleeting.example.org';
    // They would be taken for this one's.
    await eventually(async () => (await fixture.dueHosts()).length === 0, 'the end of orders of other tests');
    const id = await fixture.verifiedDomain(host);
    const [finalizing, proceed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    fixture.authority.outcomeOf = async (_, path): Promise<CallOutcome> => {
      if (!path.startsWith('/finalize-order/')) return 'passed';
      finalizing.resolve();
      await proceed.promise;
      return 'passed';
    };
    const waiting = fixture.servedCertificate(host).catch(() => 'refused');
    await finalizing.promise;
    await fixture.app.call('DELETE', `/api/v1/domain/${id}`, { key: fixture.key });
    proceed.resolve();
    expect(await waiting).toBe('refused');
    await pollUntil(
      () => fixture.rowOf(host),
      ({ chain }) => chain !== null,
      'the end of the order',
    );
    await expect(secureSocket(fixture.app, { servername: host, ...visitor })).rejects.toThrow();
  });

  test('a name whose row another node deleted gets a new certificate at the next visit', async () => {
    const host = 'again.example.org';
    await fixture.verifiedDomain(host);
    const before = await fixture.servedCertificate(host);
    await fixture.auto.inner.context.database.write(async (queries) => {
      await deleteCertificate(queries, host);
      await recordHostChange(queries, host, fixture.app.clock.now);
    });
    fixture.app.clock.now += 61_000;
    await eventually(
      () =>
        fixture.servedCertificate(host).then(
          ({ serial }) => serial !== before.serial,
          () => false,
        ),
      'another certificate',
    );
    expect((await fixture.servedCertificate(host)).name).toBe(`DNS:${host}`);
  });
});
