import type { Config } from '../config/options.ts';
import type { HttpsRules } from '../http/router.ts';
import type { Site } from '../rules/site.ts';
import { redirectCacheControl, secureOriginOf } from '../visit/insecure-path.ts';

const hstsValue = 'max-age=31536000';

/** The line that `HSTS=all` adds to every answer over TLS on the fast path. */
export const hstsLine = ({ hsts }: Pick<Config, 'hsts'>): string =>
  hsts === 'all' ? `Strict-Transport-Security: ${hstsValue}\r\n` : '';

/**
 * What the app server does where this process terminates HTTPS itself. `isRefused`: a host can't be reached over https at the
 * moment. `isStable`: HTTPS has worked for a day.
 */
export const httpsRules = (
  { https, httpLinks, hsts }: Pick<Config, 'https' | 'httpLinks' | 'hsts'>,
  site: Site,
  isRefused: (host: string) => boolean | Promise<boolean>,
  isStable: () => boolean,
): HttpsRules | null =>
  https === 'off'
    ? null
    : {
        secureOrigin: secureOriginOf({ httpLinks }, site, isRefused),
        redirect: ({ path, search }, origin) =>
          new Response(null, {
            status: 308,
            headers: { location: origin + path + search, 'cache-control': redirectCacheControl },
          }),
        secured(response, { host }) {
          if (hsts === 'all' || (hsts === 'service' && host === site.defaultHost && isStable()))
            response.headers.set('strict-transport-security', hstsValue);
          return response;
        },
      };
