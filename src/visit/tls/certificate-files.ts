import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { StartProblem } from '../../start-problem.ts';
import { type CertificatePair, secureContextOf } from './secure-context.ts';

export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

const minBits = 2048;

/** Reads a certificate and its key. Throws a `StartProblem` that says what is wrong with them and what to do. */
export function readCertificate(files: CertificateFiles, now: number): CertificatePair {
  const pair = { certificate: read(files.certificate, 'TLS_CERT'), key: read(files.key, 'TLS_KEY') };
  const leaf = leafOf(pair.certificate, files.certificate);
  const key = keyOf(pair.key, files.key);
  if (!leaf.checkPrivateKey(key))
    throw new StartProblem(
      `The certificate in ${files.certificate} is for another key than the one in ${files.key}. Set TLS_CERT and TLS_KEY to files that belong together.`,
    );
  const bits = key.asymmetricKeyDetails?.modulusLength ?? minBits;
  if (bits < minBits)
    throw new StartProblem(
      `The key in ${files.key} is an RSA key of ${bits} bits, which clients refuse. Create both again, with an ECDSA (P-256) or RSA (${minBits} bits) key.`,
    );
  const [from, until] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  if (until <= now)
    throw new StartProblem(
      `The certificate in ${files.certificate} was good until ${dateOf(until)}. Renew it, and start again.`,
    );
  if (from > now)
    throw new StartProblem(
      `The certificate in ${files.certificate} is only good from ${dateOf(from)} on. Check the clock of this machine, or wait.`,
    );
  try {
    secureContextOf(pair);
  } catch (cause) {
    throw new StartProblem(
      `The certificate in ${files.certificate} cannot be used: ${(cause as Error).message}. Create it again, with an ECDSA (P-256) or RSA (2048 bits) key.`,
    );
  }
  return pair;
}

/** When it expires, in epoch milliseconds. */
export const expiryOf = ({ certificate }: CertificatePair): number =>
  Date.parse(new X509Certificate(certificate).validTo);

export const isFor = ({ certificate }: CertificatePair, host: string): boolean => {
  const leaf = new X509Certificate(certificate);
  const address = host.replace(/^\[|\]$/g, '');
  return (isIP(address) === 0 ? leaf.checkHost(host) : leaf.checkIP(address)) !== undefined;
};

function read(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code, message } = cause as { code?: string; message: string };
    const reason =
      code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'this user may not read it' : message;
    throw new StartProblem(`${variable} is "${file}": ${reason}. Give a PEM file that can be read.`);
  }
}

function leafOf(text: string, file: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch {
    throw new StartProblem(
      `TLS_CERT is "${file}": there is no certificate in it. Give a PEM file, which has a line "BEGIN CERTIFICATE".`,
    );
  }
}

function keyOf(text: string, file: string): KeyObject {
  if (/ENCRYPTED/.test(text))
    throw new StartProblem(
      `TLS_KEY is "${file}": that key is protected by a password. Remove the password: openssl pkey -in "${file}" -out plain.key`,
    );
  try {
    return createPrivateKey(text);
  } catch {
    throw new StartProblem(
      `TLS_KEY is "${file}": there is no private key in it. Give a PEM file, which has a line "BEGIN PRIVATE KEY".`,
    );
  }
}

const dateOf = (instant: number): string => new Date(instant).toISOString().slice(0, 16).replace('T', ' ');
