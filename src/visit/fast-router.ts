import type { TrustedProxies } from '../config/options.ts';
import { believesProxies, clientAddress } from '../http/client-address.ts';
import { firstSegment } from '../http/router.ts';
import { parseHost } from '../rules/host.ts';
import { ownText } from '../rules/text.ts';
import type { Express } from './connection/connection.ts';
import type { PlainRequest } from './connection/plain-request.ts';
import type { ExpressAnswer } from './connection/wire-answer.ts';

export interface FastRouterParts {
  readonly trustedProxies: TrustedProxies;
  /** The domain a host stands for; null for a host that is none of ours. */
  readonly domainOf: (host: string) => number | null | Promise<number | null>;
  /** First segments of paths that may be the service's own. */
  readonly service: ReadonlySet<string>;
  /** The answer, or what it waits for, or null where the server behind has to answer. */
  readonly link: (
    visit: PlainRequest,
    domainId: number,
    host: string,
    address: string,
  ) => ExpressAnswer | Promise<unknown> | null;
}

const maxHosts = 1_000;

/** The first look at a plain visit. Null for what isn't a link's, or not known to be: then the front door sees it. */
export function fastRouter(doors: FastRouterParts): Express {
  const hosts = new Map<string, string | null>();
  const beginnings = beginningsOf(doors.service);
  /** Of the visit before: most are for the same host. */
  let header: string | null = null;
  let host: string | null = null;
  return (visit, peer) => {
    if (visit.host !== header) {
      host = hosts.get(visit.host) ?? remember(hosts, visit.host);
      header = visit.host;
    }
    if (host === null) return null;
    const domainId = doors.domainOf(host);
    // Asked for, and then looked at again; what is none of ours, and what can't be asked, the front door has words for.
    if (typeof domainId !== 'number') return domainId;
    if (beginnings[beginningOf(visit.path)] === 1 && doors.service.has(firstSegment(visit.path))) return null;
    const { trustedProxies } = doors;
    const forwardedFor = believesProxies(trustedProxies) ? visit.forwardedFor : null;
    return doors.link(visit, domainId, host, clientAddress(peer, forwardedFor, trustedProxies));
  };
}

/** Which paths are worth a look: most are told from the service's own by their first two letters, and needn't be cut. */
function beginningsOf(segments: ReadonlySet<string>): Uint8Array {
  const beginnings = new Uint8Array(256);
  for (const segment of segments)
    for (const path of [`/${segment}`, `/${segment}/`]) beginnings[beginningOf(path)] = 1;
  return beginnings;
}

const beginningOf = (path: string): number => ((path.charCodeAt(1) << 4) ^ path.charCodeAt(2)) & 255;

/** Taking a Host apart costs more than looking it up. */
function remember(hosts: Map<string, string | null>, header: string): string | null {
  const name = parseHost(header)?.name ?? null;
  if (hosts.size >= maxHosts) hosts.clear();
  if (header.length < 100) hosts.set(ownText(header), name === null ? null : ownText(name));
  return name;
}
