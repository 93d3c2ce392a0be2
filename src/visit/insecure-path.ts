import { hostName } from '../http/host-name.ts';
import { isServicePath } from '../rules/service-paths.ts';
import type { FastPath } from './connection/connection.ts';
import type { WireAnswer } from './connection/wire-answer.ts';

interface InsecureParts {
  readonly links: 'redirect' | 'answer';
  readonly domainOf: (host: string) => number | null | Promise<number | null>;
  /** The address of a host over https. */
  readonly secureOrigin: (host: string) => string;
  /** Whether a host can't be reached over https for now: then its links are answered. A promise where that is looked up. */
  readonly isRefused: (host: string) => boolean | Promise<unknown>;
  /** Whether requests may come through a proxy that has spoken https already: then the app server decides. */
  readonly mayBeForwarded: boolean;
  readonly answer: FastPath;
}

/** The fast path of the port without TLS: visits of links are sent to https on the same host, or answered. */
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

/** For an hour: browsers would keep it for good, also when HTTPS is given up again. */
export const movedFor = 'max-age=3600';

const movedTo = (location: string): WireAnswer => ({
  head: `HTTP/1.1 308 Permanent Redirect\r\nLocation: ${location}\r\nCache-Control: ${movedFor}\r\nContent-Length: 0\r\n`,
  body: '',
  waits: false,
});
