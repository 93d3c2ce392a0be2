import type { TrustedProxies } from '../config/options.ts';
import { parseHost } from '../rules/host.ts';
import { believesProxies, clientAddress } from './client-address.ts';
import type { Express } from './connection.ts';
import type { ExpressAnswer } from './express-answer.ts';
import { firstSegment } from './front-door.ts';
import type { PlainRequest } from './plain-request.ts';

export interface ExpressDoors {
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

const mostHosts = 1_000;

/** The first look at a plain visit. Null for what isn't a link's, or not known to be: then the front door sees it. */
export function expressDoor(doors: ExpressDoors): Express {
  const hosts = new Map<string, string | null>();
  return (visit, peer) => {
    const host = hosts.get(visit.host) ?? remember(hosts, visit.host);
    if (host === null) return null;
    const domainId = doors.domainOf(host);
    // Asked for, and then looked at again; what is none of ours, and what can't be asked, the front door has words for.
    if (typeof domainId !== 'number') return domainId;
    if (doors.service.has(firstSegment(visit.path))) return null;
    const { trustedProxies } = doors;
    const forwardedFor = believesProxies(trustedProxies) ? visit.forwardedFor : null;
    return doors.link(visit, domainId, host, clientAddress(peer, forwardedFor, trustedProxies));
  };
}

/** Taking a Host apart costs more than looking it up. */
function remember(hosts: Map<string, string | null>, header: string): string | null {
  const name = parseHost(header)?.name ?? null;
  if (hosts.size >= mostHosts) hosts.clear();
  if (header.length < 100) hosts.set(header, name);
  return name;
}
