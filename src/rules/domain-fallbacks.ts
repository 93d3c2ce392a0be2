/** Where a custom domain sends visitors of addresses that are none of its links. */
export interface DomainFallbacks {
  readonly rootUrl: string | null;
  readonly notFoundUrl: string | null;
}

/** Null: there is only the page that says that nothing is here. A program that looks for the API is told so. */
export function fallbackFor(
  { rootUrl, notFoundUrl }: DomainFallbacks,
  method: string,
  path: string,
): string | null {
  if (method !== 'GET' && method !== 'HEAD') return null;
  if (path === '/') return rootUrl;
  return path === '/api' || path.startsWith('/api/') ? null : notFoundUrl;
}
