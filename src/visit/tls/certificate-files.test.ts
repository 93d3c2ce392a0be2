import { afterAll, beforeAll, expect, test } from 'bun:test';
import { createPrivateKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '../../../test/support/certificate.ts';
import { StartProblem } from '../../start-problem.ts';
import { readCertificate } from './certificate-files.ts';

const good = selfSigned('links.example.com');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'linnet-certificate-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read({ certificate, key }: { certificate: string; key: string }) {
  const files = { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  await Promise.all([writeFile(files.certificate, certificate), writeFile(files.key, key)]);
  return readCertificate(files, Date.now());
}

const withCrlf = (text: string) => text.replaceAll('\n', '\r\n');
const encryptedKey = createPrivateKey(good.key)
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
  .toString();

test.each([
  ['as they are', good],
  ['with an RSA key', selfSigned('links.example.com', { rsaBits: 2048 })],
  ['with CRLF line endings', { certificate: withCrlf(good.certificate), key: withCrlf(good.key) }],
  ['both in one file', { certificate: good.certificate + good.key, key: good.certificate + good.key }],
])('a certificate and its key are accepted %s', async (_, pair) => {
  expect(await read(pair)).toEqual(pair);
});

const garbageBlock = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
test.each([
  [
    'for another key',
    { ...good, key: selfSigned('links.example.com').key },
    /another key .* Set TLS_CERT and TLS_KEY to files that belong together\.$/,
  ],
  ['empty', { ...good, certificate: '' }, /^TLS_CERT is .* no certificate in it\. Give a PEM file/],
  ['garbage', { ...good, certificate: '\0\xff garbage' }, /no certificate in it\. Give a PEM file/],
  [
    'truncated',
    { ...good, certificate: good.certificate.slice(0, 200) },
    /no certificate in it\. Give a PEM file/,
  ],
  [
    'followed by garbage',
    { ...good, certificate: good.certificate + garbageBlock },
    /cannot be used: .* Create it again/,
  ],
  ['a key', { certificate: good.key, key: good.certificate }, /^TLS_CERT is .* Give a PEM file/],
  [
    'valid, but whose key is truncated',
    { ...good, key: good.key.slice(0, 80) },
    /^TLS_KEY is .* Give a PEM file/,
  ],
  [
    'valid, but whose key is encrypted',
    { ...good, key: encryptedKey },
    /^TLS_KEY is .* Remove the password: openssl pkey/,
  ],
  ['expired', selfSigned('links.example.com', { days: [-9, -1] }), /was good until .* Renew it/],
  ['not yet valid', selfSigned('links.example.com', { days: [1, 9] }), /only good from .* Check the clock/],
  [
    'whose key is RSA with 1024 bits',
    selfSigned('links.example.com', { rsaBits: 1024 }),
    /an RSA key of 1024 bits, .* Create both again/,
  ],
])('a certificate that is %s is refused with one line that says what to do', async (_, pair, line) => {
  const refusal = await read(pair).then(
    () => 'accepted',
    (cause) => (cause instanceof StartProblem ? cause.message : cause),
  );
  expect(refusal).toMatch(line);
  expect(refusal).not.toContain('\n');
});

test('missing files and folders are refused in the same way', () => {
  for (const file of [join(folder, 'nowhere'), folder])
    expect(() => readCertificate({ certificate: file, key: file }, 0)).toThrow(
      /^TLS_CERT is .* Give a PEM file/,
    );
});
