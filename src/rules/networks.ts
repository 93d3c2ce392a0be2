/**
 * The network of a client as `networkOf` writes it, and larger ones around it, smallest first. An IPv6 customer has anything from
 * a /64 to a /48, and an IPv4 network is rarely assigned in less than a /24.
 */
export function networksAround(network: string): readonly NetworkAround[] {
  const narrowest: NetworkAround = { name: network, size: 'narrow' };
  const [, first, fourth] = /^([\da-f]+:[\da-f]+:[\da-f]+):([\da-f]+)::\/64$/.exec(network) ?? [];
  if (first !== undefined && fourth !== undefined) {
    const upperByte = (Number.parseInt(fourth, 16) & 0xff00).toString(16);
    return [
      narrowest,
      { name: `${first}:${upperByte}::/56`, size: 'middle' },
      { name: `${first}::/48`, size: 'wide' },
    ];
  }
  const [, upper] = /^(\d+\.\d+\.\d+)\.\d+$/.exec(network) ?? [];
  return upper === undefined ? [narrowest] : [narrowest, { name: `${upper}.0/24`, size: 'wide' }];
}

interface NetworkAround {
  readonly name: string;
  /** An IPv4 address or a /64; a /56; a /24 of IPv4 or a /48. */
  readonly size: 'narrow' | 'middle' | 'wide';
}

/** The /24 of an IPv4 address, the /48 of an IPv6 one, written without leading zeros. */
export function floodNetwork(address: string): string {
  if (!address.includes(':')) return address.slice(0, Math.max(0, address.lastIndexOf('.')));
  const [first = '', second = '', third = ''] = (address.split('::')[0] ?? '').split(':');
  return `${first || 0}:${second || 0}:${third || 0}`;
}

/** The largest network around a client that may still belong to the same party. */
export const widestNetwork = (network: string): string => networksAround(network).at(-1)?.name ?? network;
