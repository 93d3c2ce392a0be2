import { lostCall, lostOnDomain } from '../api/lost-call.ts';
import { errorAnswer, type serveApi } from '../api/serve.ts';
import type { Config } from '../config/options.ts';
import type { Arrival, Doors } from '../http/router.ts';
import type { Context } from '../manage/context.ts';
import { Refusal } from '../rules/errors.ts';
import type { Site } from '../rules/site.ts';
import { defaultDomainId } from '../storage/schema.ts';
import type { Log } from '../telemetry/log.ts';
import type { Hosts } from '../visit/hosts.ts';
import { notFoundPage, unavailablePage } from '../visit/pages.ts';
import type { RequestHandler } from '../visit/request-handler.ts';
import { RequestVisit } from '../visit/request-visit.ts';
import { pageResponse } from '../visit/response.ts';
import { toDashboard } from './dashboard-route.ts';
import { firstRunOf, whileFirstRun } from './first-run.ts';
import { serviceDoors } from './service-routes.ts';

interface Rooms {
  readonly config: Config;
  readonly context: Context;
  readonly hosts: Hosts;
  readonly redirects: RequestHandler;
  readonly api: ReturnType<typeof serveApi>;
  readonly log: Log;
}

/** Which requests lead where. */
export function doorsTo({ config, context, hosts, redirects, api, log }: Rooms): Doors {
  const isFirstRun = firstRunOf(context.database);
  return {
    trustedProxies: config.trustedProxies,
    baseIsLoopback: context.site.isTrial,
    domainOf: (host) => hosts.domainOf(host),
    isCustom: (domainId) => domainId !== defaultDomainId,
    service: serviceDoors(context, api, hosts, isFirstRun, log),
    shared: new Set(['_linnet', 'robots.txt', 'favicon.ico']),
    hostless: new Set(['healthz', 'readyz']),
    home: (arrival) => lostCall(arrival.request, arrival.path, context.site) ?? toDashboard(arrival),
    link: (arrival, domainId) => linkDoor(redirects, context.site, arrival, domainId),
    stranger: (arrival, cause) =>
      cause === undefined
        ? strangerDoor(context, isFirstRun, arrival)
        : pageResponse(unavailablePage(arrival.host)),
    badRequest: () => errorAnswer(new Refusal('REQUEST_MALFORMED', 'The request names no usable host.')),
  };
}

/** Whoever opens a fresh service under whatever name is led to its set-up, and told there what is to be set. */
function strangerDoor({ site }: Context, isFirstRun: () => Promise<boolean>, arrival: Arrival) {
  const { request, path, host } = arrival;
  const lost = lostCall(request, path, site);
  if (lost !== null || path !== '/') return lost ?? pageResponse(notFoundPage(host));
  return whileFirstRun(isFirstRun, toDashboard, () => pageResponse(notFoundPage(host)))(arrival);
}

function linkDoor(redirects: RequestHandler, site: Site, arrival: Arrival, domainId: number) {
  const { request, path } = arrival;
  const isCustom = domainId !== defaultDomainId;
  const answer = redirects.answer(new RequestVisit(arrival, domainId));
  // Where the API is not, a client that looks for it is still told so in its own language.
  const orLost = (found: Response) =>
    found.status === 404 || found.status === 405
      ? ((isCustom ? lostOnDomain(request, path) : lostCall(request, path, site)) ?? found)
      : found;
  return answer instanceof Promise ? answer.then(orLost) : orLost(answer);
}
