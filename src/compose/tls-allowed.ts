import type { IncomingRequest } from '../http/router.ts';
import { parseHost } from '../rules/host.ts';
import { defaultDomainId } from '../storage/schema.ts';
import type { Hosts } from '../visit/hosts.ts';
import { notFoundPage } from '../visit/pages.ts';
import { pageResponse } from '../visit/response.ts';
import { readOnly } from './read-only.ts';

const headers = { 'cache-control': 'no-store' };

/**
 * `/internal/tls-allowed?domain=`: whether a proxy may get a certificate for a custom domain; it asks before each new one.
 * The service's own host is not one: the proxy's configuration names it. For visitors the path doesn't exist.
 */
export function tlsAllowed(hosts: Hosts) {
  const allowed = readOnly(({ search }) => {
    const requested = parseHost(new URLSearchParams(search).get('domain'));
    return requested === null || requested.port !== '' ? answer(404) : isVerified(hosts, requested.name);
  });
  return (incoming: IncomingRequest): Response | Promise<Response> =>
    incoming.path === '/internal/tls-allowed' && incoming.isInternal()
      ? allowed(incoming)
      : pageResponse(notFoundPage(incoming.host));
}

async function isVerified(hosts: Hosts, name: string): Promise<Response> {
  try {
    const domainId = await hosts.domainOf(name);
    return answer(domainId === null || domainId === defaultDomainId ? 404 : 200);
  } catch {
    return answer(503);
  }
}

const answer = (status: number): Response => new Response(null, { status, headers });
