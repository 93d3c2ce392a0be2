/** Where a custom domain redirects requests for addresses that are not links. */
export interface DomainFallbacks {
  readonly rootUrl: string | null;
  readonly notFoundUrl: string | null;
}

/** Null for the "not found" page. Requests for the API always get that, so that programs see that it isn't on this domain. */
export function fallbackFor(
  { rootUrl, notFoundUrl }: DomainFallbacks,
  method: string,
  path: string,
): string | null {
  if (method !== 'GET' && method !== 'HEAD') return null;
  if (path === '/') return rootUrl;
  return path === '/api' || path.startsWith('/api/') ? null : notFoundUrl;
}
