import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** PEM files: a root certificate, and a certificate that chains to it. */
interface Authority {
  readonly root: string;
  /** The certificate, followed by the intermediate one. */
  readonly certificate: string;
  readonly key: string;
}

const keyKind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const ofAuthority = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];

/** A certificate like those of public CAs: valid for 80 days, issued by an intermediate CA, with a revocation list. */
export function authorityIn(folder: string, host: string): Authority {
  const at = (name: string) => join(folder, name);
  const openssl = (...commandArguments: string[]) => {
    const { exitCode, stderr } = Bun.spawnSync(['openssl', ...commandArguments], {
      cwd: folder,
      stderr: 'pipe',
    });
    if (exitCode !== 0) throw new Error(`openssl ${commandArguments[0]}: ${stderr}`);
  };
  const sign = (
    name: string,
    issuer: string,
    subject: string,
    days: number,
    extensions: readonly string[],
  ) => {
    writeFileSync(at(`${name}.ext`), extensions.join('\n'));
    openssl('req', ...keyKind, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${subject}`);
    const signing = [
      '-CA',
      `${issuer}.crt`,
      '-CAkey',
      `${issuer}.key`,
      '-CAcreateserial',
      '-extfile',
      `${name}.ext`,
    ];
    openssl('x509', '-req', '-in', `${name}.csr`, ...signing, '-days', String(days), '-out', `${name}.crt`);
  };
  const added = ofAuthority.flatMap((line) => ['-addext', line]);
  const root = ['-subj', '/CN=Root of a test', '-days', '3650', ...added];
  openssl('req', '-x509', ...keyKind, '-keyout', 'root.key', '-out', 'root.crt', ...root);
  const revocationList = 'crlDistributionPoints=URI:http://crl.example.com/list.crl';
  sign('between', 'root', 'Authority of a test', 1000, [...ofAuthority, revocationList]);
  sign('leaf', 'between', host, 80, [
    'basicConstraints=critical,CA:FALSE',
    'keyUsage=critical,digitalSignature',
    'extendedKeyUsage=serverAuth',
    `subjectAltName=DNS:${host}`,
    revocationList,
  ]);
  writeFileSync(at('chain.crt'), ['leaf.crt', 'between.crt'].map((name) => readFileSync(at(name))).join(''));
  return { root: at('root.crt'), certificate: at('chain.crt'), key: at('leaf.key') };
}
