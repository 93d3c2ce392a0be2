import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

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
  const name = sequence(set(sequence(commonName, text(0x0c, host))));
  const padding = moreBytes === 0 ? [] : [sequence(timestamps, der(0x04, der(0x04, randomBytes(moreBytes))))];
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(instant(from), instant(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(alternativeName, der(0x04, sequence(text(0x82, host)))), ...padding)),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]));
  return {
    certificate: pem('CERTIFICATE', sequence(body, algorithm, signature)),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** ASN.1 DER: a tag, a length, the content. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const long =
    content.length > 0xff ? [0x82, content.length >> 8, content.length & 0xff] : [0x81, content.length];
  const length = content.length < 0x80 ? [content.length] : long;
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const set = (...parts: Buffer[]) => der(0x31, ...parts);
const integer = (bytes: Buffer) => der(0x02, bytes);
const text = (tag: number, value: string) => der(tag, Buffer.from(value));
const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));

const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
const rsaWithSha256 = sequence(objectId('2a864886f70d01010b'), der(0x05));
const commonName = objectId('550403');
const timestamps = objectId('2b06010401d679020402');
const alternativeName = objectId('551d11');

function instant(daysFromNow: number): Buffer {
  const iso = new Date(Date.now() + daysFromNow * 86_400_000).toISOString();
  return text(0x18, `${iso.slice(0, 19).replace(/[-:T]/g, '')}Z`);
}

const pem = (kind: string, bytes: Buffer): string =>
  `-----BEGIN ${kind}-----\n${(bytes.toString('base64').match(/.{1,64}/g) ?? []).join('\n')}\n-----END ${kind}-----\n`;
