import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { privateRanges } from '../rules/address-rules.ts';

/** A start's notice about the DNS of its host: `found`: the addresses it resolves to, null if the lookup failed. */
export function dnsNotice(
  host: string,
  found: readonly string[] | null,
  ownAddresses: readonly string[],
): string {
  if (found === null) return `The DNS gave no answer about ${host}. It has to lead to this machine.`;
  if (found.length === 0)
    return [
      `${host} is not in the DNS yet. Where its zone is kept, add:`,
      ...recordsFor(host, ownAddresses),
    ].join('\n    ');
  const otherAddresses = found.filter((address) => !ownAddresses.includes(address));
  if (otherAddresses.length === 0) return `The DNS leads ${host} to this machine (${found.join(', ')}).`;
  return `The DNS leads ${host} to ${otherAddresses.join(', ')}, which this machine doesn't have itself (${ownAddresses.join(', ') || 'none'}): that is right if a router or load balancer there forwards ports 443 and 80 to it.`;
}

/** The records that point a host to this machine: private addresses don't belong in the public DNS. */
export function recordsFor(host: string, ownAddresses: readonly string[]): string[] {
  const publicAddresses = ownAddresses.filter(
    (address) => !privateRanges.includes(ipaddr.parse(address).range()),
  );
  const records = publicAddresses.map(
    (address) => `${host}.  ${isIP(address) === 6 ? 'AAAA' : 'A'}  ${address}`,
  );
  return records.length > 0 ? records : [`${host}.  A  <the address at which this machine is reached>`];
}
