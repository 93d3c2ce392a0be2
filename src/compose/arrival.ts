import type { Secrets } from '../auth/secrets.ts';
import type { IncomingRequest } from '../http/router.ts';
import { type Arrival, arrivalHeader, arrivalHeaders, isSignedArrival } from '../rules/arrival.ts';
import { notFoundPage } from '../visit/pages.ts';
import { pageResponse } from '../visit/response.ts';

/** `/internal/arrival`: how a request arrived, for clients that have this instance's key. For other clients the path doesn't exist. */
export const arrival =
  (secrets: Secrets, now: () => number) =>
  ({ request: { headers }, host, address, isProxied }: IncomingRequest): Response => {
    if (!isSignedArrival(secrets, headers.get(arrivalHeader), now())) return pageResponse(notFoundPage(host));
    const received = arrivalHeaders.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    const answer: Arrival = {
      client: address(),
      isProxyTrusted: isProxied(),
      headers: Object.fromEntries(received),
    };
    return Response.json(answer, { headers: { 'cache-control': 'no-store' } });
  };
