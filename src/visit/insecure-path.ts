import type { Config } from '../config/options.ts';
import { hostName } from '../http/host-name.ts';
import type { HttpsRules } from '../http/router.ts';
import { firstSegment, isServicePath } from '../rules/service-paths.ts';
import type { Site } from '../rules/site.ts';
import { defaultDomainId } from '../storage/schema.ts';
import type { FastPath } from './connection/connection.ts';
import type { WireAnswer } from './connection/wire-answer.ts';

/** Requested by machines in the same network, without https. */
const servedOverHttp: ReadonlySet<string> = new Set(['healthz', 'livez', 'readyz', 'internal', 'metrics']);

/** Links of hosts that can't be reached over https at the moment (`isRefused`) are answered over http. */
export const secureOriginOf =
  (
    { httpLinks }: Pick<Config, 'httpLinks'>,
    site: Site,
    isRefused: (host: string) => boolean | Promise<boolean>,
  ): HttpsRules['secureOrigin'] =>
  (host, path, domainId) => {
    if (servedOverHttp.has(firstSegment(path))) return null;
    const isKnown = domainId !== null;
    const isCustom = isKnown && domainId !== defaultDomainId;
    const isLink = path !== '/' && !isServicePath(path, false);
    // The service's own paths that are answered on every domain include the captcha's script.
    const isForVisitors = isCustom || isLink || isServicePath(path, true);
    if (isForVisitors && (httpLinks === 'answer' || !isKnown)) return null;
    const origin = isKnown ? site.domainUrl(host) : site.origin;
    const refused = isForVisitors && isRefused(host);
    if (refused instanceof Promise) return refused.then((isSo) => (isSo ? null : origin));
    return refused ? null : origin;
  };

interface InsecureParts extends Pick<HttpsRules, 'secureOrigin'> {
  readonly domainOf: (host: string) => number | null | Promise<number | null>;
  /** Whether requests may come from a proxy that has terminated https already: then the app server decides. */
  readonly mayBeForwarded: boolean;
  readonly answer: FastPath;
}

/** The fast path of the port without TLS: redirects visits to https on the same host, or answers them. */
export const insecurePath =
  ({ domainOf, secureOrigin, mayBeForwarded, answer }: InsecureParts): FastPath =>
  (request, peer) => {
    if (mayBeForwarded || isServicePath(request.path, false)) return null;
    const host = hostName(request.host);
    if (host === null) return null;
    const domainId = domainOf(host);
    if (typeof domainId !== 'number') return domainId;
    const origin = secureOrigin(host, request.path, domainId);
    if (origin instanceof Promise) return origin;
    return origin === null ? answer(request, peer) : movedTo(origin + request.path + request.search);
  };

/** One hour: browsers would keep a permanent redirect even after HTTPS is switched off again. */
export const redirectCacheControl = 'max-age=3600';

const movedTo = (location: string): WireAnswer => ({
  head: `HTTP/1.1 308 Permanent Redirect\r\nLocation: ${location}\r\nCache-Control: ${redirectCacheControl}\r\nContent-Length: 0\r\n`,
  body: '',
  waits: false,
});
