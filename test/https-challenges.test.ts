import { describe, expect, test } from 'bun:test';
import { certificateId } from '../src/certificates/certificate-id.ts';
import { updateCertificate } from '../src/storage/certificates.ts';
import { type Authority, type AutoApp, hasPebble, startAuthority, startAutoApp } from './support/acme.ts';
import { eventually } from './support/eventually.ts';
import { runCommand } from './support/program.ts';
import { secureSocket } from './support/tls-app.ts';

const own = 'links.example.com';
/** The authority connects from 127.0.0.1, so visitors connect from elsewhere. */
const visitor = { localAddress: '127.0.0.2' };

async function serialShown({ app }: AutoApp): Promise<string> {
  const socket = await secureSocket(app, visitor);
  const { serialNumber, subjectaltname } = socket.getPeerCertificate();
  socket.destroy();
  expect(subjectaltname).toBe(`DNS:${own}`);
  return serialNumber;
}

const rowOf = ({ inner }: AutoApp) =>
  inner.context.database.read.selectFrom('certificates').selectAll().executeTakeFirst();
/** Consecutive failures. */
const failures = async (auto: AutoApp) => (await rowOf(auto))?.failures ?? 0;
const issued = (auto: AutoApp) => auto.lines('certificate issued').length;

async function authorityOfOwn(): Promise<Authority> {
  const authority = await startAuthority();
  authority.names[own] = { A: ['127.0.0.1'] };
  return authority;
}

describe.skipIf(!hasPebble)('if one way to validate a name is blocked', () => {
  test('port 443: it is validated on port 80 at once, and its first visitor waits for both tries', async () => {
    await using authority = await authorityOfOwn();
    // Nothing listens on the port where the authority validates TLS-ALPN-01.
    await using auto = await startAutoApp(authority, { env: { PORT: '0' } });
    const first = serialShown(auto);
    await eventually(async () => (await failures(auto)) === 1, 'the first try');
    expect(auto.lines('certificate not issued')).toMatchObject([{ host: own, problem: 'connection' }]);
    auto.app.clock.now += 2_000;
    expect(await first).toMatch(/^[0-9A-F]+$/);
    expect(issued(auto)).toBe(1);
  });

  test('port 80: renewals are tried there three times, then in a handshake', async () => {
    await using authority = await authorityOfOwn();
    await using auto = await startAutoApp(authority, { env: { HTTP_PORT: '0' } });
    const before = await serialShown(auto);
    // It is served a moment before the order ends, which sets the times.
    await eventually(() => issued(auto) === 1, 'the end of the order');
    const hasten = () =>
      auto.inner.context.database.write((queries) =>
        updateCertificate(queries, own, { renew_at: 1, next_at: 1 }),
      );
    for (const tries of [1, 2, 3]) {
      await hasten();
      await eventually(async () => (await failures(auto)) === tries, `try ${tries}`);
      expect(await serialShown(auto)).toBe(before);
    }
    const row = await rowOf(auto);
    expect(row?.problem).toBe('connection');
    // A certificate that is valid for long is not renewed in haste.
    expect(row?.next_at).toBeGreaterThan(auto.app.clock.now + 4 * 60_000);
    await hasten();
    await eventually(() => issued(auto) === 2, 'the new certificate');
    expect(await serialShown(auto)).not.toBe(before);
  });

  test('HTTP_PORT=off: certificates are issued and renewed only in handshakes, and the health check uses TLS', async () => {
    await using authority = await authorityOfOwn();
    const env = { HTTP_PORT: 'off' };
    await using auto = await startAutoApp(authority, { env });
    const before = await serialShown(auto);
    const at = { BASE_URL: `https://${own}`, PORT: String(auto.inner.port) };
    const health = runCommand(['healthcheck'], { ...authority.settings, ...env, ...at });
    expect([await health.exited, health.output().out]).toEqual([
      0,
      `https://127.0.0.1:${auto.inner.port}/healthz: ok\n`,
    ]);
    await auto.inner.context.database.write((queries) =>
      updateCertificate(queries, own, { renew_at: 1, next_at: 1 }),
    );
    await eventually(() => issued(auto) === 2, 'the new certificate');
    expect(await serialShown(auto)).not.toBe(before);
    expect(await failures(auto)).toBe(0);
  });
});

describe.skipIf(!hasPebble)('an authority that suggests renewal times (ARI)', () => {
  test('is asked by the certificate’s id, and respected within limits', async () => {
    await using authority = await authorityOfOwn();
    const asked: string[] = [];
    // Debian's Pebble doesn't support renewal windows (ARI).
    let window: unknown = { start: '2001-01-01T00:00:00Z', end: '2001-01-02T00:00:00Z' };
    const { ACME_URL = '' } = authority.settings;
    authority.outcomeOf = async (method, path) => {
      if (path === '/dir' && method === 'GET') {
        authority.outcomeOf = (_, path) => {
          if (!path.startsWith('/renewal/')) return 'passed';
          asked.push(path);
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
    const before = await serialShown(auto);
    const row = await rowOf(auto);
    const id = certificateId(row?.chain ?? '');
    const look = () =>
      auto.inner.context.database.write((queries) => updateCertificate(queries, own, { next_at: 1 }));
    await look();
    await eventually(() => issued(auto) === 2, 'the new certificate');
    expect(await serialShown(auto)).not.toBe(before);
    expect(asked).toEqual([`/renewal/${id}`]);
    // An invalid window leaves the time as it was, and a window years ahead is cut to the certificate's end.
    const kept = (await rowOf(auto))?.renew_at;
    for (const [told, then] of [
      [{ start: 'soon', end: 'later' }, kept],
      [null, kept],
      [
        { start: '2999-01-01T00:00:00Z', end: '2999-01-02T00:00:00Z' },
        ((await rowOf(auto))?.not_after ?? 0) - 60 * 60_000,
      ],
    ] as const) {
      window = told;
      const count = asked.length;
      await look();
      await eventually(
        async () => asked.length > count && (await rowOf(auto))?.claimed_until === null,
        'the look',
      );
      expect((await rowOf(auto))?.renew_at).toBe(then as number);
    }
    // It is asked again when its Retry-After says: in six hours.
    const wait = ((await rowOf(auto))?.next_at ?? 0) - auto.app.clock.now;
    expect(Math.abs(wait - 6 * 60 * 60_000)).toBeLessThan(60_000);
    expect(issued(auto)).toBe(2);
  });
});
