import ipaddr from 'ipaddr.js';
import type { TrustedProxies } from '../config/options.ts';
import { isWithin, type Network, privateRanges } from '../rules/address-rules.ts';
import { memoize } from '../structures/memoize.ts';

/** A socket's address in the form in which addresses are compared and stored. */
export const peerAddress = (peer: string | null): string => plainAddress(peer ?? '') ?? '0.0.0.0';

/**
 * The client's address: the peer's, as `peerAddress` returns it, unless proxies are trusted. Then X-Forwarded-For is read from its
 * end, which the nearest proxy wrote, and only as far as the proxies are trusted; clients can forge the entries before that.
 */
export function clientAddress(peer: string, forwardedFor: string | null, trust: TrustedProxies): string {
  if (forwardedFor === null || !trustsProxies(trust)) return peer;
  let client = peer;
  for (let hop = 0, end = forwardedFor.length; isTrustedHop(client, hop, trust) && end >= 0; hop++) {
    const start = forwardedFor.lastIndexOf(',', end - 1);
    const address = plainAddress(forwardedFor.slice(start + 1, end).trim());
    if (address === null) return client;
    client = address;
    end = start;
  }
  return client;
}

/** The network whose limits a connection counts towards; null for a trusted proxy's connection, which carries many clients. */
export const limitedNetwork = (peer: string, trust: TrustedProxies): string | null =>
  trustsPeer(peer, trust) ? null : networkOf(peer);

/** Whether any proxies' headers are trusted. */
export const trustsProxies = (trust: TrustedProxies): boolean => trust.kind !== 'hops' || trust.count > 0;

/** Whether the peer is a proxy whose headers about its client are trusted. `peer` as `peerAddress` returns it. */
export const trustsPeer = (peer: string, trust: TrustedProxies): boolean => isTrustedHop(peer, 0, trust);

/** Whether this proxy, `hop` hops away, is trusted to name its own client. */
const isTrustedHop = (proxy: string, hop: number, trust: TrustedProxies): boolean =>
  trust.kind === 'hops' ? hop < trust.count : isWithinAny(proxy, trust.ranges);

/** What rate limits count as one client: an IPv4 address, or the /64 of an IPv6 customer. */
export function networkOf(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.parse(address);
  return `${(parsed as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

export function isLoopbackAddress(peer: string | null): boolean {
  const address = plainAddress(peer ?? '');
  return address !== null && ipaddr.parse(address).range() === 'loopback';
}

/**
 * Whether the peer is a trusted proxy. A number of hops names no addresses: then it must be in a private network, because anybody
 * on the internet can connect to a public port.
 */
export function isTrustedProxy(peer: string | null, trust: TrustedProxies): boolean {
  const address = plainAddress(peer ?? '');
  if (address === null) return false;
  return trust.kind === 'hops'
    ? trust.count > 0 && privateRanges.includes(ipaddr.parse(address).range())
    : isWithinAny(address, trust.ranges);
}

/** Without brackets, port, or the IPv6 form of an IPv4 address. Memoized: parsing takes longer than a whole redirect. */
const plainAddress = memoize(8_192, readAddress);

function readAddress(text: string): string | null {
  const bare = text.replace(/^\[([^\]]+)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  if (!ipaddr.isValid(bare) || (!bare.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(bare)))
    return null;
  return ipaddr.process(bare.split('%')[0] ?? bare).toString();
}

function isWithinAny(address: string, ranges: readonly Network[]): boolean {
  const parsed = ipaddr.parse(address);
  return ranges.some((range) => isWithin(parsed, range));
}
