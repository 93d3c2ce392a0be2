/**
 * What headers show about a request beyond its user agent: Sec-Fetch-* and client hints, which scripts in a page can't set.
 * The journal stores the index of a word in this list, which may only grow at its end.
 */
export const headerEvidenceKinds = ['none', 'not_navigation', 'no_browser_headers'] as const;
export type HeaderEvidence = (typeof headerEvidenceKinds)[number];

/** Destinations of requests for parts of a page. A document, a frame, or anything unknown may be a navigation. */
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
  /** Sec-CH-UA-Platform, which Chrome sends by default. */
  readonly platform: string | null;
  /** X-Forwarded-Proto. */
  readonly forwardedProto: string | null;
}

/**
 * Whether a request opens a page or fetches a part of one, by its mode or, without one, by its destination; missing or unknown
 * values are no evidence. If all are missing, that is evidence on https only: on http browsers send none of them.
 */
export function headerEvidenceOf({
  mode,
  destination,
  platform,
  forwardedProto,
}: FetchHeaders): HeaderEvidence {
  if (mode !== null) return modesOfFetches.has(mode) ? 'not_navigation' : 'none';
  if (destination !== null) return partsOfPages.has(destination) ? 'not_navigation' : 'none';
  const isHttps = forwardedProto !== null && forwardedProto.toLowerCase() === 'https';
  return isHttps && platform === null ? 'no_browser_headers' : 'none';
}
