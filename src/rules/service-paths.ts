const shared = ['_linnet', 'robots.txt', 'favicon.ico'] as const;
const reserved = [
  ...shared,
  'api',
  'app',
  'assets',
  'docs',
  'healthz',
  'internal',
  'invitation',
  'livez',
  'metrics',
  'openapi.json',
  'qr',
  'readyz',
  'favicon.svg',
  'apple-touch-icon.png',
  'sitemap.xml',
  '.well-known',
] as const;
export type ReservedSegment = (typeof reserved)[number];

/** The service's own first path segments that are answered on every domain: no link may use them. */
export const sharedSegments: ReadonlySet<string> = new Set(shared);

/** All of the service's own first path segments: on the default domain no link may use them. */
export const reservedSegments: ReadonlySet<string> = new Set(reserved);

/** Of a path, without its slash. */
export function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return end < 0 ? path.slice(1) : path.slice(1, end);
}

/** By the first two letters of a path, whether it may be the service's own: other paths needn't be cut, which saves 0.1 µs. */
const mayBeReserved = new Uint8Array(256);
const hashOf = (path: string): number => ((path.charCodeAt(1) << 4) ^ path.charCodeAt(2)) & 255;
for (const segment of reservedSegments)
  for (const path of [`/${segment}`, `/${segment}/`]) mayBeReserved[hashOf(path)] = 1;

/** Whether a request's path is the service's own, and not a link's. */
export const isServicePath = (path: string, isCustomDomain: boolean): boolean =>
  mayBeReserved[hashOf(path)] === 1 &&
  (isCustomDomain ? sharedSegments : reservedSegments).has(firstSegment(path));
