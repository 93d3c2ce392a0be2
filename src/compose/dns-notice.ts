import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A start's notice about the DNS of its host: `found` is where it leads, null if that could not be determined. */
export function dnsNotice(host: string, found: readonly string[] | null, own: readonly string[]): string {
  if (found === null) return `The DNS gave no answer about ${host}. It has to lead to this machine.`;
  if (found.length === 0)
    return [`${host} is not in the DNS yet. Where its zone is kept, add:`, ...recordsFor(host, own)].join(
      '\n    ',
    );
  const elsewhere = found.filter((address) => !own.includes(address));
  if (elsewhere.length === 0) return `The DNS leads ${host} to this machine (${found.join(', ')}).`;
  return `The DNS leads ${host} to ${elsewhere.join(', ')}, which this machine doesn't have itself (${own.join(', ') || 'none'}): right where a router or a balancer there passes ports 443 and 80 on to it.`;
}

/** Addresses that can't be reached from other networks don't belong in the public DNS. */
const inner: ReadonlySet<string> = new Set([
  'private',
  'uniqueLocal',
  'linkLocal',
  'loopback',
  'carrierGradeNat',
]);

/** The records that point a host here. */
export function recordsFor(host: string, own: readonly string[]): string[] {
  const outer = own.filter((address) => !inner.has(ipaddr.parse(address).range()));
  const known = outer.map((address) => `${host}.  ${isIP(address) === 6 ? 'AAAA' : 'A'}  ${address}`);
  return known.length > 0 ? known : [`${host}.  A  <the address at which this machine is reached>`];
}
