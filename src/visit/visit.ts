import type { HeaderEvidence } from '../rules/agents/header-evidence.ts';

/** The headers in which proxies name the visitor's country: Cloudflare, Vercel and others. The first one present counts. */
export const countryHeaders = ['cf-ipcountry', 'x-vercel-ip-country', 'x-country-code'] as const;

/** Why a page is prefetched: by the standard header, or by the older ones of Firefox and others. */
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

/** A request for a short link, independent of how it was read. An absent header is '', or null where the difference matters. */
export interface Visit {
  readonly method: string;
  /** As it was sent: percent-encoded, with its leading slash, without the query. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly search: string;
  /** The name of the domain, as pages show it. */
  readonly host: string;
  readonly domainId: number;
  /** The visitor's address, after the trusted proxies. */
  readonly address: string;
  /** The network that rate limits count it towards. */
  readonly network: string;
  readonly userAgent: string | null;
  readonly platformHint: string | null;
  /** Includes headers that any client can send: `no_browser_headers` depends on the scheme, which a proxy may have named. */
  readonly headerEvidence: HeaderEvidence;
  readonly acceptLanguage: string;
  /** A checksum of its client hints; 0 where there are none. */
  readonly clientHints: number;
  readonly referer: string;
  readonly purpose: string;
  /** DNT: 1 or Sec-GPC: 1. */
  readonly doNotTrack: boolean;
  /** False for calls of the API: without a link they get an error, and are not redirected elsewhere. */
  readonly takesFallback: boolean;
  /** The country named by the header of a trusted proxy, or ''. */
  readonly countryHint: string;
}
