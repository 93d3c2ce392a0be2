/** ASN.1 in its distinguished encoding: a tag, a length, the content. */
export function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

export const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
export const set = (...parts: Uint8Array[]) => der(0x31, ...parts);
export const octets = (bytes: Uint8Array) => der(0x04, bytes);
export const objectId = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
export const text = (tag: number, value: string) => der(tag, Buffer.from(value));
/** Always positive, even if the first bit of `bytes` is set. */
export const integer = (bytes: Uint8Array) => der(0x02, Buffer.from([0x01]), bytes);
export const bits = (bytes: Uint8Array) => der(0x03, Buffer.from([0]), bytes);

export const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));
const commonName = objectId('550403');
const alternativeName = objectId('551d11');
const dnsName = 0x82;

export const nameOf = (host: string) =>
  // Longer names don't fit into a common name; the alternative name is the one that counts.
  host.length > 64 ? sequence() : sequence(set(sequence(commonName, text(0x0c, host))));

export const alternativeNames = (host: string) =>
  sequence(alternativeName, octets(sequence(text(dnsName, host))));
