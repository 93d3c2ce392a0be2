import { X509Certificate } from 'node:crypto';

/** The object identifier of the extension with the authority's key identifier (2.5.29.35). */
const authorityKey = Buffer.from('0603551d23', 'hex');

/**
 * The identifier of a certificate in renewal information (RFC 9773): its authority's key identifier and its serial number. Null
 * if it has no such key identifier.
 */
export function certificateId(chain: string): string | null {
  const { raw, serialNumber } = new X509Certificate(chain);
  const extension = raw.indexOf(authorityKey);
  if (extension < 0) return null;
  // An octet string with a sequence, whose first part is the key identifier.
  const at = extension + authorityKey.length;
  const [octets, , sequence, , tag, length = 0] = raw.subarray(at, at + 6);
  if (octets !== 0x04 || sequence !== 0x30 || tag !== 0x80) return null;
  const key = raw.subarray(at + 6, at + 6 + length);
  const hex = serialNumber.length % 2 === 0 ? serialNumber : `0${serialNumber}`;
  const serial = Buffer.from(hex, 'hex');
  const signed = (serial[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), serial]) : serial;
  return `${key.toString('base64url')}.${signed.toString('base64url')}`;
}
