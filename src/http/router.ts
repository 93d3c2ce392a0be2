import type { TrustedProxies } from '../config/options.ts';
import { isLoopbackName } from '../rules/host.ts';
import { firstSegment, isServicePath } from '../rules/service-paths.ts';
import {
  clientAddress,
  isLoopbackAddress,
  isTrustedProxy,
  networkOf,
  peerAddress,
  trustsPeer,
  trustsProxies,
} from './client-address.ts';
import { hostName } from './host-name.ts';

/** The sender of a request, as far as its connection shows. */
export interface Caller {
  readonly address: string | null;
  /** Lets the answer pause for any time. */
  readonly keepOpen: (seconds?: number) => void;
}

/** A request with its URL split once, for all routes. */
export interface IncomingRequest {
  readonly request: Request;
  readonly host: string;
  /** As it was sent, percent-encoded, up to the question mark. */
  readonly path: string;
  readonly search: string;
  /** The client's address, after the trusted proxies. Computed when needed, like its network. */
  readonly address: () => string;
  readonly network: () => string;
  /** Whether the peer is a trusted proxy. */
  readonly isProxied: () => boolean;
  /** Sent from this machine, not through a proxy and not from another site's page. */
  readonly isLocal: () => boolean;
  /** Sent by a program on this machine or by a trusted proxy on its own behalf, not for a visitor. */
  readonly isInternal: () => boolean;
  /** Lets the answer pause for any time: no idle timeout ends it. */
  readonly keepOpen: (seconds?: number) => void;
}

type Answer = Response | Promise<Response>;

/** The rules where this process terminates HTTPS itself. */
export interface HttpsRules {
  /** The origin of the https address that a request without TLS is redirected to; null if it is answered like any other. */
  readonly secureOrigin: (
    host: string,
    path: string,
    domainId: number | null,
  ) => string | null | Promise<string | null>;
  redirect(incoming: IncomingRequest, secureOrigin: string): Response;
  /** Completes an answer that is sent over TLS. */
  secured(response: Response, incoming: IncomingRequest): Response;
}

export interface Routes {
  readonly https: HttpsRules | null;
  /** Answers under every host and scheme; null for all other requests. */
  readonly onAnyHost: (incoming: IncomingRequest) => Answer | null;
  readonly trustedProxies: TrustedProxies;
  /** Whether BASE_URL leads to this machine only: then no other client is expected. */
  readonly baseIsLoopback: boolean;
  /** The domain of a host; null for an unknown host. */
  readonly domainOf: (host: string) => number | null | Promise<number | null>;
  readonly isCustom: (domainId: number) => boolean;
  /** The service's own paths by their first segment. On custom domains only the shared ones are answered. */
  readonly service: ReadonlyMap<string, (incoming: IncomingRequest) => Answer>;
  /** Those that also answer old clients without a Host header. */
  readonly hostless: ReadonlySet<string>;
  readonly home: (incoming: IncomingRequest) => Answer;
  readonly link: (incoming: IncomingRequest, domainId: number) => Answer;
  /** For an unknown host, or one that could not be looked up (`cause`). */
  readonly unknownHost: (incoming: IncomingRequest, cause?: unknown) => Answer;
  readonly badRequest: () => Response;
}

/** Finds the host of a request, and the route that answers it. */
export function router(routes: Routes) {
  return (request: Request, caller: Caller): Answer => {
    const header = request.headers.get('host');
    const host = header === null ? null : hostName(header);
    if (host === null)
      return (header === null && answerHostless(routes, request, caller)) || routes.badRequest();
    const incoming = incomingOf(request, caller, host, routes);
    if (incoming === null) return routes.badRequest();
    const everywhere = routes.onAnyHost(incoming);
    if (everywhere !== null) return everywhere;
    const domain = routes.domainOf(host);
    if (domain instanceof Promise) {
      // The service's own paths are answered even if hosts can't be looked up: the API reports the problem.
      return domain.then(
        (id) => dispatch(routes, incoming, id),
        (cause) => dispatch(routes, incoming, null, cause),
      );
    }
    return dispatch(routes, incoming, domain);
  };
}

/** Some load balancers send health checks in HTTP/1.0 without a Host header. Null for any other such request. */
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
    const origin = https.secureOrigin(incoming.host, incoming.path, domainId);
    const orAnswer = (found: string | null) => (found === null ? answer() : https.redirect(incoming, found));
    return origin instanceof Promise ? origin.then(orAnswer) : orAnswer(origin);
  }
  const unsecured = answer();
  return unsecured instanceof Promise
    ? unsecured.then((response) => https.secured(response, incoming))
    : https.secured(unsecured, incoming);
}

/** The header comes from our listener, or from a trusted proxy. */
const isSecure = ({ headers }: Request): boolean =>
  headers.get('x-forwarded-proto')?.toLowerCase() === 'https';

/** Splits the address by index: `new URL` throws for some hosts that get this far, and costs more than the redirect. */
function incomingOf(request: Request, caller: Caller, host: string, routes: Routes): IncomingRequest | null {
  const { url } = request;
  const { trustedProxies: trust, baseIsLoopback } = routes;
  // Without a Host it is only a path.
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
    isProxied: () => trustsPeer(peerAddress(caller.address), trust),
    isLocal: () => baseIsLoopback && !trustsProxies(trust) && isLocal(request, caller, host, routes),
    isInternal: () => isInternal(request, caller, routes),
    keepOpen: caller.keepOpen,
  };
}

const addressOf = (request: Request, caller: Caller, trust: TrustedProxies): string =>
  clientAddress(
    peerAddress(caller.address),
    trustsProxies(trust) ? request.headers.get('x-forwarded-for') : null,
    trust,
  );

const proxyHeaders = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
  'cf-connecting-ip',
];

/** Where this process terminates HTTPS itself, X-Forwarded-Proto comes from its own listener. */
const isForwarded = ({ headers }: Request, { https }: Routes): boolean =>
  proxyHeaders.some((header) => headers.has(header) && (https === null || header !== 'x-forwarded-proto'));

/**
 * A proxy on this machine has a loopback address too, and may forward any Host: so this is only trusted if BASE_URL and
 * TRUSTED_PROXIES name no proxy. A browser on this machine that shows another site's page has that address as well.
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
  const isTrustedPeer = isLoopbackAddress(address) || isTrustedProxy(address, routes.trustedProxies);
  return isTrustedPeer && !isForwarded(request, routes);
}
