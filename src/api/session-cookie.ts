import { knownBrowserLifetime } from '../auth/known-browsers.ts';
import { sessionLifetime, sessionTokens } from '../auth/opaque-tokens.ts';
import { cookiesNamed } from '../http/cookies.ts';
import type { Site } from '../rules/site.ts';

type Security = Pick<Site, 'isSecure'>;

/** With `__Host-` no other host, no path and no plain connection can set it; browsers require https for that. */
export const sessionCookieName = ({ isSecure }: Security): string => (isSecure ? '__Host-linnet' : 'linnet');

/** The session cookie of a browser, if any. Values that can't be ours are ignored. */
export function sessionOf(headers: Headers, site: Security): string | null {
  return (
    cookiesNamed(sessionCookieName(site), headers.get('cookie') ?? '').find((token) =>
      sessionTokens.matches(token),
    ) ?? null
  );
}

/** Identifies the accounts that this browser has signed in to before; it grants nothing. */
const knownCookieName = (site: Security): string => `${sessionCookieName(site)}_known`;

export const knownBrowserOf = (headers: Headers, site: Security): string | null =>
  cookiesNamed(knownCookieName(site), headers.get('cookie') ?? '')[0] ?? null;

export const keepKnownBrowser = (cookie: string, site: Security): string =>
  setCookie(knownCookieName(site), cookie, knownBrowserLifetime, site);

export const keepSession = (token: string, site: Security): string =>
  setCookie(sessionCookieName(site), token, sessionLifetime, site);

export const dropSession = (site: Security): string => setCookie(sessionCookieName(site), '', 0, site);

const setCookie = (name: string, value: string, lifetime: number, { isSecure }: Security): string =>
  `${name}=${value}; Max-Age=${lifetime / 1000}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
