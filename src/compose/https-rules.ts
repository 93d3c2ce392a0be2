import type { Config } from '../config/options.ts';
import type { HttpsRules, IncomingRequest } from '../http/router.ts';
import { firstSegment } from '../rules/service-paths.ts';
import type { Site } from '../rules/site.ts';
import { redirectCacheControl } from '../visit/insecure-path.ts';

const hstsValue = 'max-age=31536000';

/** The line that `HSTS=all` adds to every answer over TLS on the fast path. */
export const hstsLine = ({ hsts }: Pick<Config, 'hsts'>): string =>
  hsts === 'all' ? `Strict-Transport-Security: ${hstsValue}\r\n` : '';

/** Requested by machines in the same network, without https. */
const servedOverHttp: ReadonlySet<string> = new Set(['healthz', 'livez', 'readyz', 'internal', 'metrics']);

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
        insecure(incoming, { isKnown, isForVisitors }) {
          if (servedOverHttp.has(firstSegment(incoming.path))) return null;
          if (isForVisitors && (httpLinks === 'answer' || !isKnown)) return null;
          const redirect = () => redirectTo(incoming, isKnown ? site.domainUrl(incoming.host) : site.origin);
          const refused = isForVisitors && isRefused(incoming.host);
          if (refused instanceof Promise) return refused.then((isSo) => (isSo ? null : redirect()));
          return refused ? null : redirect();
        },
        secured(response, { host }) {
          if (hsts === 'all' || (hsts === 'service' && host === site.defaultHost && isStable()))
            response.headers.set('strict-transport-security', hstsValue);
          return response;
        },
      };

function redirectTo({ path, search }: IncomingRequest, origin: string): Response {
  return new Response(null, {
    status: 308,
    headers: { location: origin + path + search, 'cache-control': redirectCacheControl },
  });
}
