import { hostName } from '../http/host-name.ts';
import { isServicePath } from '../rules/service-paths.ts';
import type { FastPath } from './connection/connection.ts';
import type { WireAnswer } from './connection/wire-answer.ts';

interface InsecureParts {
  readonly links: 'redirect' | 'answer';
  readonly domainOf: (host: string) => number | null | Promise<number | null>;
  /** The address of a host over https. */
  readonly secureOrigin: (host: string) => string;
  /**
   * Whether a host can't be reached over https at the moment: then its links are answered over http. A promise while that is
   * looked up.
   */
  readonly isRefused: (host: string) => boolean | Promise<unknown>;
  /** Whether requests may come from a proxy that has terminated https already: then the app server decides. */
  readonly mayBeForwarded: boolean;
  readonly answer: FastPath;
}

/** The fast path of the port without TLS: redirects visits to https on the same host, or answers them. */
export const insecurePath =
  ({ links, domainOf, secureOrigin, isRefused, mayBeForwarded, answer }: InsecureParts): FastPath =>
  (request, peer) => {
    if (isServicePath(request.path, false)) return null;
    if (links === 'answer') return answer(request, peer);
    const host = mayBeForwarded ? null : hostName(request.host);
    if (host === null) return null;
    const domainId = domainOf(host);
    if (typeof domainId !== 'number') return domainId;
    const refused = isRefused(host);
    if (refused instanceof Promise) return refused;
    if (refused) return answer(request, peer);
    return movedTo(secureOrigin(host) + request.path + request.search);
  };

/** One hour: browsers would keep a permanent redirect even after HTTPS is switched off again. */
export const redirectCacheControl = 'max-age=3600';

const movedTo = (location: string): WireAnswer => ({
  head: `HTTP/1.1 308 Permanent Redirect\r\nLocation: ${location}\r\nCache-Control: ${redirectCacheControl}\r\nContent-Length: 0\r\n`,
  body: '',
  waits: false,
});
