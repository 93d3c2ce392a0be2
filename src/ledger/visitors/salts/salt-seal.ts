import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { saltLength } from '../visitor-hash.ts';

const keyLength = 32;
const nonceLength = 12;
const tagLength = 16;

/** The request of a node that needs a day's salt, in the database, for any node that has it. */
export interface SaltRequest {
  readonly day: number;
  readonly publicKey: string;
  /** Made with the instance's key: write access to the database alone can't request a salt. */
  readonly proof: string;
}

/** A request with its private key, which is never stored anywhere. */
interface OpenRequest extends SaltRequest {
  readonly privateKey: KeyObject;
}

/** Identifies a salt without revealing it: nodes compare marks to see whether they have the same salt. */
export const markOf = (day: number, salt: Uint8Array): string =>
  createHmac('sha256', salt).update(`mark of visitor salt ${day}`).digest('base64url');

export const markProof = (key: string, day: number, mark: string): string =>
  hmac(key, `mark ${day} ${mark}`).toString('base64url');

export const isMarkProof = (key: string, day: number, mark: string, proof: string): boolean =>
  isHmac(key, `mark ${day} ${mark}`, proof);

export function newRequest(key: string, day: number): OpenRequest {
  const pair = generateKeyPairSync('x25519');
  const publicKey = textOf(pair.publicKey);
  return { day, publicKey, proof: requestProof(key, day, publicKey), privateKey: pair.privateKey };
}

/** The salt, sealed for the requesting node; null if the request isn't from one of our nodes. */
export function sealSalt(
  key: string,
  { day, publicKey, proof }: SaltRequest,
  salt: Uint8Array,
): string | null {
  if (!isHmac(key, requestText(day, publicKey), proof)) return null;
  const own = generateKeyPairSync('x25519');
  const shared = diffieHellman({ privateKey: own.privateKey, publicKey: publicKeyOf(publicKey) });
  const ownPublic = textOf(own.publicKey);
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(key, shared, day, publicKey, ownPublic), nonce);
  const sealed = Buffer.concat([cipher.update(salt), cipher.final()]);
  const bytes = [Buffer.from(ownPublic, 'base64url'), nonce, cipher.getAuthTag(), sealed];
  return Buffer.concat(bytes).toString('base64url');
}

/** Null if it was sealed for another request, or not by one of our nodes. */
export function openSalt(
  key: string,
  { day, publicKey, privateKey }: OpenRequest,
  sealed: string,
): Uint8Array | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length !== keyLength + nonceLength + tagLength + saltLength) return null;
  const theirPublic = bytes.subarray(0, keyLength).toString('base64url');
  const rest = bytes.subarray(keyLength);
  try {
    const shared = diffieHellman({ privateKey, publicKey: publicKeyOf(theirPublic) });
    const sealing = sealingKey(key, shared, day, publicKey, theirPublic);
    const decipher = createDecipheriv('aes-256-gcm', sealing, rest.subarray(0, nonceLength));
    decipher.setAuthTag(rest.subarray(nonceLength, nonceLength + tagLength));
    return Buffer.concat([decipher.update(rest.subarray(nonceLength + tagLength)), decipher.final()]);
  } catch {
    return null;
  }
}

/** Includes the instance's key, so that no salt can be sealed without it. That key alone opens nothing. */
const sealingKey = (
  key: string,
  shared: Buffer,
  day: number,
  requesterKey: string,
  responderKey: string,
): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', shared, key, `visitor salt ${day} ${requesterKey} ${responderKey}`, 32));

const requestText = (day: number, publicKey: string): string => `request ${day} ${publicKey}`;
const requestProof = (key: string, day: number, publicKey: string): string =>
  hmac(key, requestText(day, publicKey)).toString('base64url');

const hmac = (key: string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

function isHmac(key: string, text: string, given: string): boolean {
  const [expected, actual] = [hmac(key, text), Buffer.from(given, 'base64url')];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** The 32 bytes of an X25519 key. */
const textOf = (key: KeyObject): string => String(key.export({ format: 'jwk' }).x);
const publicKeyOf = (text: string): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: text }, format: 'jwk' });
