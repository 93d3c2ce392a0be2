/** A link's domain and suffix. */
export interface LinkAddress {
  readonly domain_id: number;
  readonly suffix: string;
}

/** A further address of a link. The host of a domain never changes; null is the default domain. */
export interface Alias extends LinkAddress {
  readonly host: string | null;
}

/** A link whose copies in caches are out of date. */
export interface ChangedLink extends LinkAddress {
  readonly aliases?: string | null;
}

/** As `links.aliases` has them. */
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

/** All by which visitors find a link. */
export const addressesOf = (link: ChangedLink): readonly LinkAddress[] =>
  link.aliases ? [link, ...readAliases(link.aliases)] : [link];

/** A line break is in no suffix. */
export const addressKey = ({ domain_id, suffix }: LinkAddress): string => `${domain_id}\n${suffix}`;
