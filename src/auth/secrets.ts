import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** The purpose of a derived secret. Two purposes never share a key. */
type Purpose =
  | 'attempts'
  | 'captcha'
  | 'cursor'
  | 'domain-proof'
  | 'fingerprint'
  | 'icon'
  | 'idempotency'
  | 'known-browser'
  | 'link-pass'
  | 'qr'
  | 'refresh-successor'
  | 'access-of-refresh'
  | 'arrival'
  | 'seal'
  | 'setup'
  | 'visitor-salts'
  | 'zapier';

/** Keys for everything that is signed or sealed, derived from the master key as they are needed. */
export class Secrets {
  readonly #master: string;
  readonly #keys = new Map<Purpose, Buffer>();

  constructor(master: string) {
    this.#master = master;
  }

  /** A signature of `text`, cut to `length` characters of base64url (6 bits each). */
  sign(purpose: Purpose, text: string, length = 43): string {
    const hasher = new Bun.CryptoHasher('sha256', this.#key(purpose));
    return hasher.update(text).digest('base64url').slice(0, length);
  }

  verify(purpose: Purpose, text: string, signature: string): boolean {
    return sameText(this.sign(purpose, text, signature.length), signature) && signature.length >= 16;
  }

  seal(text: string): string {
    return this.sealBytes(Buffer.from(text));
  }

  sealBytes(bytes: Uint8Array): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key('seal'), nonce);
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** Null if it was sealed with another key. */
  open(sealed: string): string | null {
    return this.openBytes(sealed)?.toString('utf8') ?? null;
  }

  openBytes(sealed: string): Buffer | null {
    const bytes = Buffer.from(sealed, 'base64url');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key('seal'), bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    } catch {
      return null;
    }
  }

  /** For a library that needs a key of its own. */
  text(purpose: Purpose): string {
    return this.#key(purpose).toString('hex');
  }

  #key(purpose: Purpose): Buffer {
    const cached = this.#keys.get(purpose);
    if (cached) return cached;
    const derived = Buffer.from(hkdfSync('sha256', this.#master, 'linnet', purpose, 32));
    this.#keys.set(purpose, derived);
    return derived;
  }
}

/** In constant time. */
export const sameText = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
};

/** How tokens and keys are stored. They are long and random, so a fast hash without salt is enough. */
export const digest = (token: string): string => createHash('sha256').update(token).digest('base64url');
