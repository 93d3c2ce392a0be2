import type { TrustedProxies } from '../config/options.ts';
import { clientAddress, trustsPeer } from '../http/client-address.ts';
import { hostName } from '../http/host-name.ts';
import { type Status, statusText } from '../http/status-text.ts';
import { isServicePath } from '../rules/service-paths.ts';
import type { FastPath } from './connection/connection.ts';
import type { WireAnswer } from './connection/wire-answer.ts';
import type { Page } from './pages.ts';
import { PlainVisit } from './plain-visit.ts';
import type { Redirects } from './redirects.ts';

interface FastPathParts {
  readonly trustedProxies: TrustedProxies;
  /** The domain that a host stands for; null for an unknown host. */
  readonly domainOf: (host: string) => number | null | Promise<number | null>;
  readonly redirects: Pick<Redirects, 'answer'>;
}

/**
 * Answers plain requests for links on the socket itself. Returns null for requests that the app server answers, and a promise
 * where something has to be looked up first, after which the request is read again.
 */
export function fastPath({ trustedProxies, domainOf, redirects }: FastPathParts): FastPath {
  return (request, peer) => {
    const host = hostName(request.host);
    if (host === null) return null;
    const domainId = domainOf(host);
    if (typeof domainId !== 'number') return domainId;
    // On custom domains as well: the app server distinguishes a misdirected API call from a visit.
    if (isServicePath(request.path, false)) return null;
    const address = clientAddress(peer, request.forwardedFor, trustedProxies);
    const countryHint =
      request.countryHint !== '' && trustsPeer(peer, trustedProxies) ? request.countryHint : '';
    const answer = redirects.answer(new PlainVisit(request, host, domainId, address, countryHint));
    switch (answer.kind) {
      case 'redirect':
        return redirectBytes(answer.status, answer.location, answer.stored === 'after_tick');
      case 'page':
        return pageBytes(answer.page, request.method === 'HEAD', answer.stored === 'after_tick');
      case 'wait':
        return answer.until;
      case 'app_server':
        return null;
    }
  };
}

const redirectBytes = (status: Status, location: string, waits: boolean): WireAnswer => ({
  head: `HTTP/1.1 ${status === 302 ? '302 Found' : `${status} ${statusText[status]}`}\r\nLocation: ${location}\r\nCache-Control: private, no-store\r\nContent-Length: 0\r\n`,
  body: '',
  waits,
});

/** Heads of pages that are sent again and again. */
const heads = new WeakMap<Page, string>();

/** ASCII only: such a page shows nothing but the host, and the request was ASCII. */
function pageBytes(page: Page, isHead: boolean, waits: boolean): WireAnswer {
  let head = heads.get(page);
  if (head === undefined) {
    head = headOf(page);
    heads.set(page, head);
  }
  return { head, body: isHead ? '' : page.html, waits };
}

function headOf({ status, headers, html }: Page): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${statusText[status]}\r\n${lines.join('')}Content-Length: ${html.length}\r\n`;
}
