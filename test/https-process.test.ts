import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { hasPebble, startAuthority } from './support/acme.ts';
import { migratedSqlite } from './support/migrated-store.ts';
import { runServer, temporaryFolder } from './support/program.ts';

const own = 'links.example.com';
const custom = 'go.example.org';

/** The names in the certificate that a visitor is shown. */
const shown = (port: number, servername: string): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const from = { localAddress: '127.0.0.2' };
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false, ...from });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate().subjectaltname);
      socket.destroy();
    });
  });

describe.skipIf(!hasPebble)('the program with HTTPS=auto', () => {
  test('gets certificates for its own host and for a custom domain, whose handshakes come to another thread', async () => {
    await using authority = await startAuthority();
    await using folder = await temporaryFolder();
    for (const host of [own, custom]) authority.names[host] = { A: ['127.0.0.1'] };
    await migratedSqlite(folder.path);
    const store = new Database(join(folder.path, 'linnet.sqlite'));
    store.run("insert into organizations (id, created_at, name) values (1, 1, 'one')");
    store.run('insert into domains (created_at, organization_id, host, verified_at) values (1, 1, ?, 1)', [
      custom,
    ]);
    store.close();
    const program = runServer({
      ...authority.settings,
      BASE_URL: `https://${own}`,
      PORT: String(authority.tlsPort),
      HTTP_PORT: String(authority.httpPort),
      DATA_DIR: folder.path,
    });
    expect(await program.address()).toBe(`https://${own}`);
    expect(await shown(authority.tlsPort, own)).toBe(`DNS:${own}`);
    expect(await shown(authority.tlsPort, custom)).toBe(`DNS:${custom}`);
    program.kill('SIGTERM');
    expect(await program.exited).toBe(0);
    expect(program.output().err).not.toContain('"level":"error"');
  });
});
