import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { refuseUnknownHost } from '../src/compose/dns-before-start.ts';
import { hasPebble, startAuthority } from './support/acme.ts';
import { eventually } from './support/eventually.ts';
import { freePorts } from './support/free-ports.ts';
import { migratedSqlite } from './support/migrated-store.ts';
import { type Names, startNameServer, zoneOf } from './support/name-server.ts';
import { runCommand, stop, temporaryFolder } from './support/program.ts';

const ownHost = 'links.example.com';
const customHost = 'go.example.org';

/** The names in the certificate that a visitor gets. */
const servedNames = (port: number, servername: string): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const from = { localAddress: '127.0.0.2' };
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false, ...from });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate().subjectaltname);
      socket.destroy();
    });
  });

describe.skipIf(!hasPebble)('the program started with a host', () => {
  test('gets certificates for its own host and for a custom domain, whose handshakes another thread handles', async () => {
    await using authority = await startAuthority();
    await using folder = await temporaryFolder();
    for (const host of [ownHost, customHost]) authority.names[host] = { A: ['127.0.0.1'] };
    await migratedSqlite(folder.path);
    const store = new Database(join(folder.path, 'linnet.sqlite'));
    store.run("insert into organizations (id, created_at, name) values (1, 1, 'one')");
    store.run('insert into domains (created_at, organization_id, host, verified_at) values (1, 1, ?, 1)', [
      customHost,
    ]);
    store.close();
    const { HTTPS: _, ...settings } = authority.settings;
    const program = runCommand(['serve', ownHost], {
      ...settings,
      PORT: String(authority.tlsPort),
      HTTP_PORT: String(authority.httpPort),
      DATA_DIR: folder.path,
    });
    expect(await program.address()).toBe(`https://${ownHost}`);
    expect(await servedNames(authority.tlsPort, ownHost)).toBe(`DNS:${ownHost}`);
    expect(await servedNames(authority.tlsPort, customHost)).toBe(`DNS:${customHost}`);
    await eventually(
      () => program.output().out.includes(`The DNS leads ${ownHost} to 127.0.0.1`),
      'the line about the DNS',
    );
    await stop(program);
    expect(program.output().err).not.toContain('"level":"error"');
  });
});

test("a host that isn't in the DNS stops a first start with one line, but not if it has a certificate", async () => {
  await using folder = await temporaryFolder();
  const names: Names = { 'other.example.com': { A: ['192.0.2.1'] } };
  const dns = await startNameServer(zoneOf(names));
  const DATA_DIR = folder.path;
  const [https = 0, http = 0] = freePorts(2);
  const program = runCommand(['serve', ownHost], {
    DNS_SERVERS: dns.address,
    DATA_DIR,
    PORT: String(https),
    HTTP_PORT: String(http),
  });
  expect(await program.exited).toBe(1);
  expect(program.output().out).toBe('');
  expect(program.output().err).toMatch(
    /^links\.example\.com is not in the DNS, .* Add "links\.example\.com\. .*\n$/,
  );
  await migratedSqlite(DATA_DIR);
  const settings = {
    https: 'auto',
    databaseUrl: null,
    dataDir: DATA_DIR,
    dnsServers: [dns.address],
  } as const;
  const checkHost = (host: string, overrides: { https?: 'files'; dnsServers?: string[] } = {}) =>
    refuseUnknownHost(host, { ...settings, ...overrides }, []);
  await expect(checkHost(ownHost)).rejects.toThrow('is not in the DNS');
  await checkHost('other.example.com');
  await checkHost(ownHost, { https: 'files' });
  names[ownHost] = 'server failure';
  await checkHost(ownHost);
  names[ownHost] = 'no such name';
  const store = new Database(join(DATA_DIR, 'linnet.sqlite'));
  store.run("insert into certificates (host, next_at, chain) values (?, 1, 'a chain')", [ownHost]);
  store.close();
  await checkHost(ownHost);
  await dns.stop();
});
