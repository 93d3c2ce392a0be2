/**
 * What headers say of a request that its user agent can't: Sec-Fetch-* and client hints, which scripts in a page can't set.
 * The journal has the index of a word in this list, which is only ever added to at its end.
 */
export const witnesses = ['none', 'not_navigation', 'no_browser_headers'] as const;
export type Witness = (typeof witnesses)[number];

/** What may be fetched for a page: a document, a frame, and whatever comes to be, may be a navigation. */
const partsOfPages: ReadonlySet<string> = new Set([
  'audio',
  'audioworklet',
  'font',
  'image',
  'json',
  'manifest',
  'paintworklet',
  'report',
  'script',
  'serviceworker',
  'sharedworker',
  'style',
  'track',
  'video',
  'webidentity',
  'worker',
  'xslt',
]);

/** Modes of a fetch; only `navigate` opens a page. */
const modesOfFetches: ReadonlySet<string> = new Set([
  'cors',
  'no-cors',
  'same-origin',
  'websocket',
  'webtransport',
]);

export interface FetchHeaders {
  /** Sec-Fetch-Mode and Sec-Fetch-Dest. */
  readonly mode: string | null;
  readonly destination: string | null;
  /** Sec-CH-UA-Platform, which Chrome sends unasked. */
  readonly platform: string | null;
  /** X-Forwarded-Proto. */
  readonly forwardedProto: string | null;
}

/**
 * Whether a request opens a page or fetches a part of one, by its mode and, where it has none, its destination; what is
 * missing or unknown is no witness. That all are missing is one on https alone: on http browsers send none of them.
 */
export function witnessOf({ mode, destination, platform, forwardedProto }: FetchHeaders): Witness {
  if (mode !== null) return modesOfFetches.has(mode) ? 'not_navigation' : 'none';
  if (destination !== null) return partsOfPages.has(destination) ? 'not_navigation' : 'none';
  const isHttps = forwardedProto !== null && forwardedProto.toLowerCase() === 'https';
  return isHttps && platform === null ? 'no_browser_headers' : 'none';
}
