import { isLoopbackName, parseHost } from './host.ts';
import type { Site } from './site.ts';

/** Headers by which a browser identifies the page that makes a call. A page can't change them. */
interface PageHeaders {
  readonly origin: string | null;
  readonly fetchSite: string | null;
  /** The Host that the call was made to. */
  readonly host: string | null;
}

/** Which page makes a call: ours, another site's, or unknown (a program, or a very old browser). */
export type PageOwner = 'ours' | 'foreign' | 'unsaid';

/** Both headers count: if they contradict each other, the call is foreign. */
export function pageOwner(site: Site, { origin, fetchSite, host }: PageHeaders): PageOwner {
  const mayBeSameOrigin = fetchSite === null || fetchSite === 'none' || fetchSite === 'same-origin';
  if (!mayBeSameOrigin) return 'foreign';
  if (origin !== null) return isOurOrigin(site, origin, host) ? 'ours' : 'foreign';
  return fetchSite === 'same-origin' ? 'ours' : 'unsaid';
}

/** A trial answers on every loopback name, and its pages call the one they came from. */
function isOurOrigin(site: Site, origin: string, host: string | null): boolean {
  if (origin === site.origin) return true;
  const called = site.isTrial ? parseHost(host) : null;
  if (!called || !isLoopbackName(called.name)) return false;
  const scheme = site.isSecure ? 'https' : 'http';
  return origin === `${scheme}://${called.name}${called.port && `:${called.port}`}`;
}
