import { misdirectedCall, misdirectedOnDomain } from '../api/misdirected-call.ts';
import { errorAnswer } from '../api/serve.ts';
import type { IncomingRequest, Routes } from '../http/router.ts';
import type { Context } from '../manage/context.ts';
import { Refusal } from '../rules/errors.ts';
import type { Site } from '../rules/site.ts';
import { defaultDomainId } from '../storage/schema.ts';
import { notFoundPage, unavailablePage } from '../visit/pages.ts';
import type { RequestHandler } from '../visit/request-handler.ts';
import { RequestVisit } from '../visit/request-visit.ts';
import { pageResponse } from '../visit/response.ts';
import { httpProof } from './certificates.ts';
import { toDashboard } from './dashboard-route.ts';
import { firstRunOf, whileFirstRun } from './first-run.ts';
import { httpsRules } from './https-rules.ts';
import { type ServiceParts, serviceRoutes } from './service-routes.ts';

interface RouterParts extends ServiceParts {
  /** Whether a host can't be reached over https at the moment. */
  readonly isRefused: (host: string) => boolean | Promise<boolean>;
  readonly redirects: RequestHandler;
  /** Whether HTTPS has been served long enough for browsers to be told to use nothing else. */
  readonly httpsIsStable: () => boolean;
}

export function routesOf(parts: RouterParts): Routes {
  const { config, context, hosts, redirects } = parts;
  const { site, database } = context;
  const isFirstRun = firstRunOf(database);
  return {
    trustedProxies: config.trustedProxies,
    onAnyHost: httpProof(config, database),
    https: httpsRules(config, site, parts.isRefused, parts.httpsIsStable),
    baseIsLoopback: site.isTrial,
    domainOf: (host) => hosts.domainOf(host),
    isCustom: (domainId) => domainId !== defaultDomainId,
    service: serviceRoutes(parts, isFirstRun),
    hostless: new Set(['healthz', 'livez', 'readyz']),
    home: (incoming) => misdirectedCall(incoming.request, incoming.path, site) ?? toDashboard(incoming),
    link: (incoming, domainId) => answerVisit(redirects, site, incoming, domainId),
    unknownHost: (incoming, cause) =>
      cause === undefined
        ? answerUnknownHost(context, isFirstRun, incoming)
        : pageResponse(unavailablePage(incoming.host)),
    badRequest: () => errorAnswer(new Refusal('REQUEST_MALFORMED', 'The request names no usable host.')),
  };
}

/** Until there is an account, the root of every host name redirects to the set-up, which explains what to configure. */
function answerUnknownHost({ site }: Context, isFirstRun: () => Promise<boolean>, incoming: IncomingRequest) {
  const { request, path, host } = incoming;
  const misdirected = misdirectedCall(request, path, site);
  if (misdirected !== null || path !== '/') return misdirected ?? pageResponse(notFoundPage(host));
  return whileFirstRun(isFirstRun, toDashboard, () => pageResponse(notFoundPage(host)))(incoming);
}

function answerVisit(redirects: RequestHandler, site: Site, incoming: IncomingRequest, domainId: number) {
  const { request, path } = incoming;
  // A client that calls the API at the wrong path gets an error of the API, unless a link has that path.
  const misdirected =
    domainId === defaultDomainId ? misdirectedCall(request, path, site) : misdirectedOnDomain(request, path);
  const answer = redirects.answer(new RequestVisit(incoming, domainId, misdirected === null));
  if (misdirected === null) return answer;
  // A link that hasn't started is 404 as well, and says when to come again.
  const isNoVisit = ({ status, headers }: Response) =>
    status === 405 || (status === 404 && !headers.has('retry-after'));
  const orMisdirected = (found: Response) => (isNoVisit(found) ? misdirected : found);
  return answer instanceof Promise ? answer.then(orMisdirected) : orMisdirected(answer);
}
