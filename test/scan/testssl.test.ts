import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { hourLength } from '../../src/rules/durations.ts';
import { hasPebble, startAuthority, startAutoApp } from '../support/acme.ts';
import { authorityIn } from '../support/openssl-authority.ts';
import { temporaryFolder } from '../support/program.ts';
import { secureHost, secureSocket, startTlsApp } from '../support/tls-app.ts';

/** From the package `testssl.sh` of Debian and Ubuntu. A scan takes a minute or two, so only `npm run test:scan` runs it. */
const scanner = Bun.which('testssl') ?? Bun.which('testssl.sh');

/** Findings about the scanner itself. */
const scannerFindings = ['engine_problem', 'scanTime', 'old_fart'];
/** The scanner queries this machine's DNS, which has no record of the name. */
const dnsFindings = ['DNS_CAArecord'];

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

interface ScanFinding {
  readonly id: string;
  readonly severity: string;
  readonly finding: string;
}

/** The findings that are neither OK nor informational. */
async function findingsOf(port: number, root: string): Promise<string[]> {
  const report = join(folder.path, `${port}.json`);
  const options = ['--quiet', '--color', '0', '--ip', '127.0.0.1', '--add-ca', root, '--jsonfile', report];
  const child = Bun.spawn([scanner ?? '', ...options, `https://${secureHost}:${port}`], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  await child.exited;
  const findings: ScanFinding[] = await Bun.file(report).json();
  const ids = findings.map(({ id }) => id);
  for (const id of ['TLS1_3', 'cipherlist_AVERAGE', 'cert_chain_of_trust', 'LUCKY13', 'RC4'])
    expect(ids).toContain(id);
  return findings
    .filter(({ id, severity }) => !['OK', 'INFO'].includes(severity) && !scannerFindings.includes(id))
    .map(({ id }) => id)
    .toSorted();
}

describe.skipIf(scanner === null || process.env.SCAN === undefined)('testssl.sh', () => {
  test('finds nothing with a certificate like those of public authorities', async () => {
    const { root, certificate, key } = authorityIn(folder.path, secureHost);
    await using tls = await startTlsApp({ HSTS: 'all', TLS_CERT: certificate, TLS_KEY: key });
    expect(await findingsOf(tls.app.app.port, root)).toEqual(dnsFindings);
  });

  test.skipIf(!hasPebble)('finds only what the test authority puts into its certificates', async () => {
    await using authority = await startAuthority();
    authority.names[secureHost] = { A: ['127.0.0.1'] };
    await using auto = await startAutoApp(authority);
    (await secureSocket(auto.app, { localAddress: '127.0.0.2' })).destroy();
    // HSTS is only sent after a day of HTTPS.
    auto.app.clock.now += 25 * hourLength;
    const root = join(folder.path, 'pebble.pem');
    await Bun.write(root, await authority.root());
    // Pebble's certificates are valid for five years, and have neither CRL nor OCSP.
    const pebbleFindings = ['cert_revocation', 'cert_validityPeriod'];
    expect(await findingsOf(auto.inner.port, root)).toEqual([...dnsFindings, ...pebbleFindings].toSorted());
  });
});
