import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
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
  text,
} from '../../src/certificates/der.ts';
import { dayLength } from '../../src/rules/durations.ts';

interface CertificateOptions {
  /** The validity, in days from today. */
  readonly days?: readonly [from: number, until: number];
  /** The size of an RSA key; without it, the key is an elliptic-curve one. */
  readonly rsaBits?: number;
  /** Bytes of ignored extensions: certificates of public authorities have some hundred. */
  readonly moreBytes?: number;
}

/** A self-signed certificate for one host name, valid today, generated anew for each run. */
export function selfSigned(
  host: string,
  { days: [from, until] = [-1, 1], rsaBits, moreBytes = 0 }: CertificateOptions = {},
): { readonly certificate: string; readonly key: string } {
  const { privateKey, publicKey } =
    rsaBits === undefined
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: rsaBits });
  const algorithm = rsaBits === undefined ? ecdsaWithSha256 : rsaWithSha256;
  const name = nameOf(host);
  const padding = moreBytes === 0 ? [] : [sequence(timestamps, octets(octets(randomBytes(moreBytes))))];
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    integer(randomBytes(8)),
    algorithm,
    name,
    sequence(instant(from), instant(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeNames(host), ...padding)),
  );
  const signature = bits(sign('sha256', body, privateKey));
  return {
    certificate: new X509Certificate(sequence(body, algorithm, signature)).toString(),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

const rsaWithSha256 = sequence(objectId('2a864886f70d01010b'), der(0x05));
const timestamps = objectId('2b06010401d679020402');

function instant(daysFromNow: number): Buffer {
  const iso = new Date(Date.now() + daysFromNow * dayLength).toISOString();
  return text(0x18, `${iso.slice(0, 19).replace(/[-:T]/g, '')}Z`);
}
