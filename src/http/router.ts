import type { TrustedProxies } from '../config/options.ts';
import { isLoopbackName } from '../rules/host.ts';
import { firstSegment, isServicePath } from '../rules/service-paths.ts';
import {
  believesProxies,
  clientAddress,
  isLoopbackAddress,
  isTrustedProxy,
  networkOf,
} from './client-address.ts';
import { hostName } from './host-name.ts';

/** Who sent a request, as far as its connection shows. */
export interface Caller {
  readonly address: string | null;
  /** Lets the answer pause for as long as it likes. */
  readonly keepOpen: (seconds?: number) => void;
}

/** A request with its URL taken apart once, for all routes. */
export interface IncomingRequest {
  readonly request: Request;
  readonly host: string;
  /** As it was sent, percent-encoded, from the slash to the question mark. */
  readonly path: string;
  readonly search: string;
  /** The client's, as far as the proxies are trusted. Computed when it is asked for, like its network. */
  readonly address: () => string;
  readonly network: () => string;
  /** From this very machine, through no proxy and from no web page of another site. */
  readonly isLocal: () => boolean;
  /** Asked by a program on this machine or by a trusted proxy, for itself and not for a visitor. */
  readonly isInternal: () => boolean;
  /** Lets the answer pause for as long as it likes: no idle timeout ends it. */
  readonly keepOpen: (seconds?: number) => void;
}

type Answer = Response | Promise<Response>;

/** What changes where this process itself speaks HTTPS. */
export interface HttpsRules {
  /** The answer to a request that came without TLS; null where it is answered like any other. */
  insecure(
    incoming: IncomingRequest,
    target: { readonly isKnown: boolean; readonly isLink: boolean },
  ): Response | null;
  /** An answer that goes out over TLS. */
  secured(response: Response, incoming: IncomingRequest): Response;
}

export interface Routes {
  readonly https: HttpsRules | null;
  /** What is answered under every host and scheme alike; null for all other requests. */
  readonly everywhere: (incoming: IncomingRequest) => Answer | null;
  readonly trustedProxies: TrustedProxies;
  /** Whether BASE_URL leads to this machine alone: then no other client is expected. */
  readonly baseIsLoopback: boolean;
  /** The domain a host stands for; null for a host that is none of ours. */
  readonly domainOf: (host: string) => number | null | Promise<number | null>;
  readonly isCustom: (domainId: number) => boolean;
  /** The service's own paths by their first segment. On custom domains only the shared ones answer. */
  readonly service: ReadonlyMap<string, (incoming: IncomingRequest) => Answer>;
  /** Those that also answer old clients, which name no host. */
  readonly hostless: ReadonlySet<string>;
  readonly home: (incoming: IncomingRequest) => Answer;
  readonly link: (incoming: IncomingRequest, domainId: number) => Answer;
  /** For a host that is none of ours, or (`cause`) that could not be looked up. */
  readonly unknownHost: (incoming: IncomingRequest, cause?: unknown) => Answer;
  readonly badRequest: () => Response;
}

/** Finds the host that a request is for, and the route that answers it. */
export function router(routes: Routes) {
  return (request: Request, caller: Caller): Answer => {
    const header = request.headers.get('host');
    const host = header === null ? null : hostName(header);
    if (host === null)
      return (header === null && answerHostless(routes, request, caller)) || routes.badRequest();
    const incoming = incomingOf(request, caller, host, routes);
    if (incoming === null) return routes.badRequest();
    const everywhere = routes.everywhere(incoming);
    if (everywhere !== null) return everywhere;
    const domain = routes.domainOf(host);
    if (domain instanceof Promise) {
      // The service's own paths answer also while hosts can't be looked up: the API says what is wrong.
      return domain.then(
        (id) => dispatch(routes, incoming, id),
        (cause) => dispatch(routes, incoming, null, cause),
      );
    }
    return dispatch(routes, incoming, domain);
  };
}

/** Some load balancers check health in HTTP/1.0 and name no host. Null for any other such request. */
function answerHostless(routes: Routes, request: Request, caller: Caller): Answer | null {
  const incoming = incomingOf(request, caller, '', routes);
  if (incoming === null) return null;
  const segment = firstSegment(incoming.path);
  return routes.hostless.has(segment) ? (routes.service.get(segment)?.(incoming) ?? null) : null;
}

function dispatch(
  routes: Routes,
  incoming: IncomingRequest,
  domainId: number | null,
  cause?: unknown,
): Answer {
  const route = routes.service.get(firstSegment(incoming.path));
  const isCustom = domainId !== null && routes.isCustom(domainId);
  const answer = (): Answer => {
    if (route && isServicePath(incoming.path, isCustom)) return route(incoming);
    if (domainId === null) return routes.unknownHost(incoming, cause);
    if (incoming.path === '/' && !isCustom) return routes.home(incoming);
    return routes.link(incoming, domainId);
  };
  const { https } = routes;
  if (https === null) return answer();
  if (!isSecure(incoming.request)) {
    const isLink = !isServicePath(incoming.path, isCustom) && (isCustom || incoming.path !== '/');
    return https.insecure(incoming, { isKnown: domainId !== null, isLink }) ?? answer();
  }
  const given = answer();
  return given instanceof Promise
    ? given.then((response) => https.secured(response, incoming))
    : https.secured(given, incoming);
}

/** The listener has written the header, unless a trusted proxy has. */
const isSecure = ({ headers }: Request): boolean =>
  headers.get('x-forwarded-proto')?.toLowerCase() === 'https';

/** The address is cut by index: `new URL` throws on hosts that get this far, and costs more than the redirect. */
function incomingOf(request: Request, caller: Caller, host: string, routes: Routes): IncomingRequest | null {
  const { url } = request;
  const { trustedProxies: trust, baseIsLoopback } = routes;
  // Without a Host it is a path alone.
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('://') + 3);
  if (start < 0) return null;
  const query = url.indexOf('?', start);
  return {
    request,
    host,
    path: query < 0 ? url.slice(start) : url.slice(start, query),
    search: query < 0 ? '' : url.slice(query),
    address: () => addressOf(request, caller, trust),
    network: () => networkOf(addressOf(request, caller, trust)),
    isLocal: () => baseIsLoopback && !believesProxies(trust) && isLocal(request, caller, host, routes),
    isInternal: () => isInternal(request, caller, routes),
    keepOpen: caller.keepOpen,
  };
}

const addressOf = (request: Request, caller: Caller, trust: TrustedProxies): string =>
  clientAddress(
    caller.address,
    believesProxies(trust) ? request.headers.get('x-forwarded-for') : null,
    trust,
  );

const proxyMarks = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
  'cf-connecting-ip',
];

/** Where this process speaks HTTPS itself, X-Forwarded-Proto comes from its own listener. */
const isForwarded = ({ headers }: Request, { https }: Routes): boolean =>
  proxyMarks.some((mark) => headers.has(mark) && (https === null || mark !== 'x-forwarded-proto'));

/**
 * A proxy on this machine has a loopback address too, and may pass on any Host: so this is asked only where BASE_URL
 * and TRUSTED_PROXIES name no proxy. A browser on this machine that shows a page of another site has that address as well.
 */
function isLocal(request: Request, caller: Caller, host: string, routes: Routes): boolean {
  const { headers } = request;
  if (!isLoopbackAddress(caller.address) || !isLoopbackName(host)) return false;
  if (isForwarded(request, routes)) return false;
  const origin = headers.get('origin');
  const site = headers.get('sec-fetch-site');
  const sameOrigin = origin === null || URL.parse(origin)?.host === headers.get('host');
  return sameOrigin && (site === null || site === 'same-origin' || site === 'none');
}

function isInternal(request: Request, { address }: Caller, routes: Routes): boolean {
  const isNear = isLoopbackAddress(address) || isTrustedProxy(address, routes.trustedProxies);
  return isNear && !isForwarded(request, routes);
}
