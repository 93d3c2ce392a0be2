declare const native: unique symbol;

/** A certificate with its key, as the runtime's sockets take them. */
export interface SecureContext {
  readonly [native]: true;
}

export interface CertificatePair {
  /** PEM: the certificate, followed by its chain. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

/**
 * For TLS 1.2; those of TLS 1.3 are all good, and can't be chosen by name. Each has forward secrecy and authenticated encryption.
 */
const ciphers = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

export const tlsSettings = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.3',
  ciphers,
  honorCipherOrder: true,
} as const;

/** Loaded only where HTTPS is served. */
export const nodeTls = () => process.getBuiltinModule('node:tls');

/** Throws if the certificate and the key don't match. Without a pair, it refuses every handshake. */
export function secureContextOf(pair: CertificatePair | null): SecureContext {
  const own = pair === null ? {} : { cert: pair.certificate, key: pair.key };
  const created = nodeTls().createSecureContext({ ...tlsSettings, ...own });
  return created.context as SecureContext;
}
