import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { certificateId } from '../src/certificates/certificate-id.ts';
import { hourLength } from '../src/rules/durations.ts';
import { updateCertificate } from '../src/storage/certificates.ts';
import {
  type Authority,
  type AutoApp,
  hasPebble,
  ownHost,
  startAuthority,
  startAutoApp,
  visitor,
} from './support/acme.ts';
import { eventually } from './support/eventually.ts';
import { runCommand } from './support/program.ts';
import { secureSocket } from './support/tls-app.ts';

async function servedSerial({ app }: AutoApp): Promise<string> {
  const socket = await secureSocket(app, visitor);
  const { serialNumber, subjectaltname } = socket.getPeerCertificate();
  socket.destroy();
  expect(subjectaltname).toBe(`DNS:${ownHost}`);
  return serialNumber;
}

const rowOf = ({ inner }: AutoApp) =>
  inner.context.database.read.selectFrom('certificates').selectAll().executeTakeFirst();
/** Consecutive failures. */
const failures = async (auto: AutoApp) => (await rowOf(auto))?.failures ?? 0;
const issued = (auto: AutoApp) => auto.lines('certificate issued').length;

async function authorityForOwnHost(): Promise<Authority> {
  const authority = await startAuthority();
  authority.names[ownHost] = { A: ['127.0.0.1'] };
  return authority;
}

describe.skipIf(!hasPebble)('if one way to validate a name is blocked', () => {
  let authority: Authority;
  beforeAll(async () => {
    authority = await authorityForOwnHost();
  });
  afterAll(() => authority[Symbol.asyncDispose]());

  test('port 443: the name is validated on port 80 at once, and its first visitor waits for both attempts', async () => {
    // Nothing listens on the port where the authority validates TLS-ALPN-01.
    await using auto = await startAutoApp(authority, { env: { PORT: '0' } });
    const first = servedSerial(auto);
    await eventually(async () => (await failures(auto)) === 1, 'the first attempt');
    expect(auto.lines('certificate not issued')).toMatchObject([{ host: ownHost, problem: 'connection' }]);
    auto.app.clock.now += 2_000;
    expect(await first).toMatch(/^[0-9A-F]+$/);
    expect(issued(auto)).toBe(1);
  });

  test('port 80: a renewal is tried there three times, then in a handshake', async () => {
    await using auto = await startAutoApp(authority, { env: { HTTP_PORT: '0' } });
    const before = await servedSerial(auto);
    // The certificate is served a moment before the order ends, which sets the times.
    await eventually(() => issued(auto) === 1, 'the end of the order');
    const makeRenewalDue = () =>
      auto.inner.context.database.write((queries) =>
        updateCertificate(queries, ownHost, { renew_at: 1, next_at: 1 }),
      );
    for (const attempts of [1, 2, 3]) {
      await makeRenewalDue();
      await eventually(async () => (await failures(auto)) === attempts, `attempt ${attempts}`);
      expect(await servedSerial(auto)).toBe(before);
    }
    const row = await rowOf(auto);
    expect(row?.problem).toBe('connection');
    // A certificate that remains valid for long is not retried immediately.
    expect(row?.next_at).toBeGreaterThan(auto.app.clock.now + 4 * 60_000);
    await makeRenewalDue();
    await eventually(() => issued(auto) === 2, 'the new certificate');
    expect(await servedSerial(auto)).not.toBe(before);
  });

  test('HTTP_PORT=off: certificates are issued and renewed only in handshakes, and the health check uses TLS', async () => {
    const env = { HTTP_PORT: 'off' };
    await using auto = await startAutoApp(authority, { env });
    const before = await servedSerial(auto);
    const addressSettings = { BASE_URL: `https://${ownHost}`, PORT: String(auto.inner.port) };
    const health = runCommand(['healthcheck'], { ...authority.settings, ...env, ...addressSettings });
    expect([await health.exited, health.output().out]).toEqual([
      0,
      `https://127.0.0.1:${auto.inner.port}/healthz: ok\n`,
    ]);
    await auto.inner.context.database.write((queries) =>
      updateCertificate(queries, ownHost, { renew_at: 1, next_at: 1 }),
    );
    await eventually(() => issued(auto) === 2, 'the new certificate');
    expect(await servedSerial(auto)).not.toBe(before);
    expect(await failures(auto)).toBe(0);
  });
});

describe.skipIf(!hasPebble)('an authority that suggests renewal times (ARI)', () => {
  test('gets requests with the certificate’s id, and its windows are used within limits', async () => {
    await using authority = await authorityForOwnHost();
    const renewalRequests: string[] = [];
    // Debian's Pebble doesn't support renewal windows (ARI).
    let window: unknown = { start: '2001-01-01T00:00:00Z', end: '2001-01-02T00:00:00Z' };
    const { ACME_URL = '' } = authority.settings;
    authority.outcomeOf = async (method, path) => {
      if (path === '/dir' && method === 'GET') {
        authority.outcomeOf = (_, path) => {
          if (!path.startsWith('/renewal/')) return 'passed';
          renewalRequests.push(path);
          return Response.json({ suggestedWindow: window }, { headers: { 'retry-after': '21600' } });
        };
        const directory = await fetch(ACME_URL, { tls: { rejectUnauthorized: false } });
        return Response.json({
          ...((await directory.json()) as object),
          renewalInfo: new URL('/renewal', ACME_URL).href,
        });
      }
      return 'passed';
    };
    await using auto = await startAutoApp(authority);
    const before = await servedSerial(auto);
    const row = await rowOf(auto);
    const id = certificateId(row?.chain ?? '');
    const makeCheckDue = () =>
      auto.inner.context.database.write((queries) => updateCertificate(queries, ownHost, { next_at: 1 }));
    await makeCheckDue();
    await eventually(() => issued(auto) === 2, 'the new certificate');
    expect(await servedSerial(auto)).not.toBe(before);
    expect(renewalRequests).toEqual([`/renewal/${id}`]);
    // An invalid window leaves the time as it was, and a window years ahead is cut to the certificate's end.
    const renewAt = (await rowOf(auto))?.renew_at;
    for (const [suggested, expected] of [
      [{ start: 'soon', end: 'later' }, renewAt],
      [null, renewAt],
      [
        { start: '2999-01-01T00:00:00Z', end: '2999-01-02T00:00:00Z' },
        ((await rowOf(auto))?.not_after ?? 0) - hourLength,
      ],
    ] as const) {
      window = suggested;
      const count = renewalRequests.length;
      await makeCheckDue();
      await eventually(
        async () => renewalRequests.length > count && (await rowOf(auto))?.claimed_until === null,
        'the check',
      );
      expect((await rowOf(auto))?.renew_at).toBe(expected as number);
    }
    // The next request follows its Retry-After: in six hours.
    const wait = ((await rowOf(auto))?.next_at ?? 0) - auto.app.clock.now;
    expect(Math.abs(wait - 6 * hourLength)).toBeLessThan(60_000);
    expect(issued(auto)).toBe(2);
  });
});
