import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** On Azure it reaches the virtual machine's host, and no registry lists it as special. */
const azureHost = '168.63.129.16';

/** Names of `range()`: addresses that can't be reached from other networks. */
export const privateRanges: readonly string[] = [
  'private',
  'uniqueLocal',
  'linkLocal',
  'loopback',
  'carrierGradeNat',
];

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Protocol assignments (including Teredo), 6to4, and the two ranges for documentation. */
const notGlobal = ['2001::/23', '2002::/16', '2001:db8::/32', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

/**
 * Reads an address in the one form that DNS and WHATWG URLs write. Null for ambiguous forms: fewer than four parts, octal,
 * hexadecimal, a zone, brackets.
 */
export function readAddress(text: string): Address | null {
  const four = readFourParts(text);
  if (four !== null) return four;
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return null;
  return ipaddr.IPv6.parse(text);
}

/** Parsed by hand, because rules need it on each visit: the library's regular expressions take ten times as long. */
function readFourParts(text: string): ipaddr.IPv4 | null {
  const parts: number[] = [];
  let part = -1;
  for (let index = 0; index < text.length; index++) {
    const digit = text.charCodeAt(index) - 48;
    if (digit === -2 && part >= 0) {
      parts.push(part);
      part = -1;
    } else if (digit < 0 || digit > 9 || part === 0) return null;
    else part = part < 0 ? digit : part * 10 + digit;
    if (part > 255) return null;
  }
  return parts.length === 3 && part >= 0 ? new ipaddr.IPv4([...parts, part]) : null;
}

/** The addresses that share this many bits with this one. */
export type Network = readonly [Address, number];

/** An address stands for itself. Null for an invalid network: `readAddress` defines what an address is. */
export function readNetwork(text: string): Network | null {
  const [base = '', bits, ...more] = text.split('/');
  const address = readAddress(base);
  if (address === null || unmapped(address) !== address || more.length > 0) return null;
  const max = address.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return [address, max];
  return /^\d{1,3}$/.test(bits) && Number(bits) <= max ? [address, Number(bits)] : null;
}

export const isWithin = (address: Address, [base, bits]: Network): boolean =>
  address.kind() === base.kind() && address.match(base, bits);

/** Like `readAddress`, with IPv4-mapped addresses as IPv4. */
export function readUnmapped(text: string): Address | null {
  const address = readAddress(text);
  return address && unmapped(address);
}

/** An IPv4-mapped IPv6 address connects as IPv4, so it is treated as IPv4. */
export function unmapped(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * Whether an address belongs to the public internet. IPv6 forms that contain an IPv4 address (mapped, compatible, NAT64, 6to4,
 * Teredo) never do, whatever they contain: no service is published under them.
 */
export function isPublic(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) {
    return address.range() === 'unicast' && address.toString() !== azureHost;
  }
  return address.match(globalUnicast) && !notGlobal.some((range) => address.match(range));
}
