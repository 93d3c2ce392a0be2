import ipaddr from 'ipaddr.js';

const ofVersion4 = 2;

/** The address in what the system tells of a caller. Of IPv4 in IPv6's clothes, the IPv4. */
export function addressIn(bytes: Buffer): string {
  if (bytes.readUInt16LE(0) === ofVersion4) return bytes.subarray(4, 8).join('.');
  return ipaddr.process(ipaddr.fromByteArray([...bytes.subarray(8, 24)]).toString()).toString();
}
