import { refusalOf } from '../api/errors.ts';
import { iconPath } from '../api/link-answer.ts';
import { openApiDocument } from '../api/openapi.ts';
import { destinationIcon, qrImage } from '../api/pictures.ts';
import { referenceHtml, referencePage } from '../api/reference-page.ts';
import { routes } from '../api/routes.ts';
import { errorAnswer, type serveApi } from '../api/serve.ts';
import type { Config } from '../config/options.ts';
import type { IncomingRequest } from '../http/router.ts';
import { liveAnswer } from '../http/starting.ts';
import type { Context } from '../manage/context.ts';
import { arrivalPath } from '../rules/arrival.ts';
import type { ReservedSegment } from '../rules/service-paths.ts';
import { lazy } from '../structures/lazy.ts';
import type { Log } from '../telemetry/log.ts';
import { captchaScript } from '../visit/gates/captcha-script.ts';
import type { Hosts } from '../visit/hosts.ts';
import { notFoundPage } from '../visit/pages.ts';
import { pageResponse } from '../visit/response.ts';
import { arrival } from './arrival.ts';
import { dashboardRoutes } from './dashboard-route.ts';
import { type MetricSource, metricsRoute } from './metrics.ts';
import { readOnly } from './read-only.ts';
import type { Readiness } from './readiness.ts';
import { tlsAllowed } from './tls-allowed.ts';

type ServiceRoute = (incoming: IncomingRequest) => Response | Promise<Response>;

export interface ServiceParts {
  readonly config: Config;
  readonly context: Context;
  readonly hosts: Hosts;
  readonly api: ReturnType<typeof serveApi>;
  readonly log: Log;
  readonly readiness: Readiness;
  readonly metrics: readonly MetricSource[];
}

/** The service's own paths, by their first segment. */
export function serviceRoutes(
  { config, context, hosts, api, log, readiness, metrics }: ServiceParts,
  isFirstRun: () => Promise<boolean>,
): ReadonlyMap<string, ServiceRoute> {
  // Created at the start, these took 220 of its 740 ms of CPU.
  const document = lazy(() => openApiDocument(routes, context.site.origin));
  const json = lazy(() => JSON.stringify(document()));
  const reference = lazy(() => referenceHtml(document()));
  const missing = ({ host }: IncomingRequest) => pageResponse(notFoundPage(host));
  const dashboard = dashboardRoutes(context.site, isFirstRun, missing, log);
  const image = (draw: typeof qrImage) =>
    readOnly(({ path }) => draw(context, path).catch((cause) => errorAnswer(refusalOf(cause, log))));
  const icon = image(destinationIcon);
  const [arrivalRoute, tlsRoute] = [arrival(context.secrets, context.now), tlsAllowed(hosts)];
  const cacheHeaders = { 'cache-control': 'public, max-age=3600' };
  return new Map<ReservedSegment, ServiceRoute>([
    ['app', dashboard.page],
    ['invitation', dashboard.page],
    ['assets', (incoming) => (incoming.path.startsWith(iconPath) ? icon : dashboard.asset)(incoming)],
    ['api', ({ request, network, isLocal, keepOpen }) => api(request, { network, isLocal, keepOpen })],
    ['qr', image(qrImage)],
    [
      'docs',
      readOnly((incoming) =>
        /^\/docs\/?$/.test(incoming.path) ? referencePage(reference()) : missing(incoming),
      ),
    ],
    [
      'openapi.json',
      readOnly(
        () => new Response(json(), { headers: { 'content-type': 'application/json', ...cacheHeaders } }),
      ),
    ],
    ['internal', (incoming) => (incoming.path === arrivalPath ? arrivalRoute : tlsRoute)(incoming)],
    ['metrics', metricsRoute(config, context, metrics)],
    ['healthz', readOnly(() => Response.json({ status: 'ok' }))],
    ['livez', readOnly(liveAnswer)],
    ['readyz', readOnly(() => readiness.answer())],
    [
      'robots.txt',
      readOnly(() => new Response('User-agent: *\nDisallow: /api/\n', { headers: cacheHeaders })),
    ],
    ['favicon.ico', () => new Response(null, { status: 204, headers: cacheHeaders })],
    ['_linnet', readOnly(() => script(log))],
  ]);
}

async function script(log: Log): Promise<Response> {
  const found = await captchaScript
    .get((cause) => log.error('captcha script not bundled', cause))
    .catch(() => null);
  if (found === null) return new Response(null, { status: 503, headers: { 'retry-after': '2' } });
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=86400',
    'x-content-type-options': 'nosniff',
  };
  return new Response(found, { headers });
}
