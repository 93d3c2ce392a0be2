import type { Witness } from '../rules/fetch-witness.ts';

/** How proxies name the visitor's country: Cloudflare, Vercel and others. The first that is present counts. */
export const countryHeaders = ['cf-ipcountry', 'x-vercel-ip-country', 'x-country-code'] as const;

/** Why a page is fetched before anybody asked for it: as the standard says it, or as Firefox and others did before. */
export function purposeOf(
  standard: string | null,
  firefox: string | null,
  other: string | null,
  userAgent: string | null,
): string {
  if (standard !== null) return standard;
  if (firefox === null && other === null) return '';
  return (userAgent?.includes('Firefox/') ? firefox : other) ?? '';
}

/**
 * A request for a short link, however it was read. A header that is absent is '', or null where the difference counts.
 */
export interface Visit {
  readonly method: string;
  /** As it was sent: percent-encoded, with its leading slash, without the query. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly search: string;
  /** The name of the domain, as pages show it. */
  readonly host: string;
  readonly domainId: number;
  /** The visitor's address, as far as the proxies are trusted. */
  readonly address: string;
  /** The network that limits count it towards. */
  readonly network: string;
  readonly userAgent: string | null;
  readonly platformHint: string | null;
  /** As far as headers go that anybody can send: `no_browser_headers` goes by what a proxy may have said. */
  readonly witness: Witness;
  readonly acceptLanguage: string;
  /** A checksum of its client hints; 0 where there are none. */
  readonly clientHints: number;
  readonly referer: string;
  readonly purpose: string;
  /** DNT: 1 or Sec-GPC: 1. */
  readonly doNotTrack: boolean;
  /** What a proxy may have named as the visitor's country. Anybody can send such a header. */
  readonly countryHint: string;
}
