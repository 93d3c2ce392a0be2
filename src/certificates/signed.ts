import {
  createHash,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { dayLength } from '../rules/durations.ts';
import {
  alternativeNames,
  bits,
  der,
  ecdsaWithSha256,
  integer,
  nameOf,
  objectId,
  octets,
  sequence,
  set,
  text,
} from './der.ts';

interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export const newKeyPair = (): KeyPair => generateKeyPairSync('ec', { namedCurve: 'P-256' });

export const pemOf = ({ privateKey }: KeyPair): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const spki = ({ publicKey }: KeyPair): Buffer => publicKey.export({ type: 'spki', format: 'der' });

const signed = (body: Buffer, { privateKey }: KeyPair): Buffer =>
  sequence(body, ecdsaWithSha256, bits(sign('sha256', body, privateKey)));

const extensionRequest = objectId('2a864886f70d01090e');

/** A certificate signing request (PKCS #10) for one host name, in DER. */
export function signingRequest(host: string, pair: KeyPair): Buffer {
  const extensions = sequence(extensionRequest, set(sequence(alternativeNames(host))));
  return signed(sequence(der(0x02, Buffer.from([0])), nameOf(host), spki(pair), der(0xa0, extensions)), pair);
}

/** 1.3.6.1.5.5.7.1.31 */
const acmeIdentifier = objectId('2b0601050507011f');
const critical = der(0x01, Buffer.from([0xff]));

/** The self-signed certificate by which a name is validated in a handshake (RFC 8737). */
export function tlsProof(
  host: string,
  answer: string,
  now: number,
): { readonly certificate: string; readonly key: string } {
  const pair = newKeyPair();
  const hash = octets(octets(createHash('sha256').update(answer).digest()));
  const extensions = sequence(alternativeNames(host), sequence(acmeIdentifier, critical, hash));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    integer(randomBytes(8)),
    ecdsaWithSha256,
    nameOf(host),
    sequence(instant(now - dayLength), instant(now + dayLength)),
    nameOf(host),
    spki(pair),
    der(0xa3, extensions),
  );
  return { certificate: new X509Certificate(signed(body, pair)).toString(), key: pemOf(pair) };
}

const instant = (at: number): Buffer =>
  text(0x18, `${new Date(at).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`);
