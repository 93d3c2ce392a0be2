/** An IPv6 address has several text forms; a parsed URL has one. */
const canonical = (address: string): string =>
  address.includes(':') ? (URL.parse(`http://[${address}]`)?.hostname ?? address) : address;

export const isAmong = (address: string, addresses: readonly string[]): boolean =>
  addresses.some((known) => canonical(known) === canonical(address));
