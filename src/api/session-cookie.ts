import { looksLikeSession, sessionLifetime } from '../auth/session-tokens.ts';
import type { Site } from '../rules/site.ts';

type Place = Pick<Site, 'isSecure'>;

/** With `__Host-` no other host, no path and no plain connection can set it: browsers want https for that. */
export const sessionCookieName = ({ isSecure }: Place): string => (isSecure ? '__Host-linnet' : 'linnet');

/** The session that a browser sends along, if any. What can't be one of ours is passed over. */
export function sessionOf(headers: Headers, site: Place): string | null {
  const cookies = headers.get('cookie');
  if (cookies === null) return null;
  const start = `${sessionCookieName(site)}=`;
  for (const part of cookies.split(';')) {
    const cookie = part.trim();
    if (!cookie.startsWith(start)) continue;
    const token = cookie.slice(start.length);
    if (looksLikeSession(token)) return token;
  }
  return null;
}

export const keepSession = (token: string, site: Place): string =>
  `${sessionCookieName(site)}=${token}; Max-Age=${sessionLifetime / 1000}; ${attributes(site)}`;

export const dropSession = (site: Place): string =>
  `${sessionCookieName(site)}=; Max-Age=0; ${attributes(site)}`;

const attributes = ({ isSecure }: Place): string =>
  `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
