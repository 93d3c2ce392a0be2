/** The service's own first path segments that answer on every domain: no link may use them. */
export const sharedSegments: ReadonlySet<string> = new Set(['_linnet', 'robots.txt', 'favicon.ico']);

/** All of the service's own first path segments: on the default domain no link may use them. */
export const reservedSegments: ReadonlySet<string> = new Set([
  ...sharedSegments,
  'api',
  'app',
  'assets',
  'docs',
  'healthz',
  'internal',
  'invitation',
  'metrics',
  'openapi.json',
  'qr',
  'readyz',
  'favicon.svg',
  'apple-touch-icon.png',
  'sitemap.xml',
  '.well-known',
]);

/** Of a path, without its slash. */
export function firstSegment(path: string): string {
  const end = path.indexOf('/', 1);
  return end < 0 ? path.slice(1) : path.slice(1, end);
}

/** Whether a request's path is the service's own, and not a link's. */
export const isServicePath = (path: string, isCustomDomain: boolean): boolean =>
  (isCustomDomain ? sharedSegments : reservedSegments).has(firstSegment(path));
