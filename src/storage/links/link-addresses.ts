export interface LinkAddress {
  readonly domain_id: number;
  readonly suffix: string;
}

/** An additional address of a link. The host of a domain never changes; null is the default domain. */
export interface Alias extends LinkAddress {
  readonly host: string | null;
}

/** A link whose cached copies are out of date. */
export interface ChangedLink extends LinkAddress {
  readonly aliases?: string | null;
}

/** As stored in `links.aliases`. */
export const writeAliases = (aliases: readonly Alias[]): string | null =>
  aliases.length === 0
    ? null
    : JSON.stringify(aliases.map(({ domain_id, host, suffix }) => [domain_id, host, suffix]));

export const readAliases = (text: string | null | undefined): readonly Alias[] =>
  text
    ? (JSON.parse(text) as [number, string | null, string][]).map(([domain_id, host, suffix]) => ({
        domain_id,
        host,
        suffix,
      }))
    : [];

/** All addresses by which visitors find a link. */
export const addressesOf = (link: ChangedLink): readonly LinkAddress[] =>
  link.aliases ? [link, ...readAliases(link.aliases)] : [link];

/**
 * The order in which every transaction takes addresses: two that want the same ones then wait for each other, but never
 * deadlock.
 */
export const compareAddresses = (one: LinkAddress, other: LinkAddress): number =>
  one.domain_id - other.domain_id || compareTexts(one.suffix, other.suffix);

export const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** No suffix contains a line break. */
export const addressKey = ({ domain_id, suffix }: LinkAddress): string => `${domain_id}\n${suffix}`;
