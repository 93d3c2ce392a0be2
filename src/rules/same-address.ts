/** IPv6 can be written in many ways; a URL has one. */
const written = (address: string): string =>
  address.includes(':') ? (URL.parse(`http://[${address}]`)?.hostname ?? address) : address;

export const isAmong = (address: string, addresses: readonly string[]): boolean =>
  addresses.some((known) => written(known) === written(address));
