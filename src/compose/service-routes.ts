import { destinationIcon } from '../api/destination-icon.ts';
import { iconPath } from '../api/link-answer.ts';
import { openApiDocument } from '../api/openapi.ts';
import { qrImage } from '../api/qr-image.ts';
import { referenceHtml, referencePage } from '../api/reference-page.ts';
import { routes } from '../api/routes.ts';
import type { serveApi } from '../api/serve.ts';
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

/** The service's own paths, by their first segment. */
export function serviceRoutes(
  config: Config,
  context: Context,
  api: ReturnType<typeof serveApi>,
  hosts: Hosts,
  isFirstRun: () => Promise<boolean>,
  readiness: Readiness,
  log: Log,
  metrics: readonly MetricSource[],
): ReadonlyMap<string, ServiceRoute> {
  // Created at the start, these took 220 of its 740 ms of CPU.
  const document = lazy(() => openApiDocument(routes, context.site.origin));
  const json = lazy(() => JSON.stringify(document()));
  const reference = lazy(() => referenceHtml(document()));
  const dashboard = dashboardRoutes(
    context.site,
    isFirstRun,
    ({ host }) => pageResponse(notFoundPage(host)),
    log,
  );
  const [arrivalRoute, tlsRoute] = [arrival(context.secrets, context.now), tlsAllowed(hosts)];
  const cacheHeaders = { 'cache-control': 'public, max-age=3600' };
  return new Map<ReservedSegment, ServiceRoute>([
    ['app', dashboard.page],
    ['invitation', dashboard.page],
    [
      'assets',
      (incoming) =>
        incoming.path.startsWith(iconPath)
          ? readOnly(incoming.request, () => destinationIcon(context, incoming.path, log))
          : dashboard.asset(incoming),
    ],
    ['api', ({ request, network, isLocal, keepOpen }) => api(request, { network, isLocal, keepOpen })],
    ['qr', ({ request, path }) => readOnly(request, () => qrImage(context, path, log))],
    [
      'docs',
      ({ request, path }) =>
        readOnly(request, () =>
          path === '/docs' ? referencePage(reference()) : pageResponse(notFoundPage('docs')),
        ),
    ],
    [
      'openapi.json',
      ({ request }) =>
        readOnly(
          request,
          () => new Response(json(), { headers: { 'content-type': 'application/json', ...cacheHeaders } }),
        ),
    ],
    ['internal', (incoming) => (incoming.path === arrivalPath ? arrivalRoute(incoming) : tlsRoute(incoming))],
    ['metrics', metricsRoute(config, context, metrics)],
    ['healthz', ({ request }) => readOnly(request, () => Response.json({ status: 'ok' }))],
    ['livez', ({ request }) => readOnly(request, liveAnswer)],
    ['readyz', ({ request }) => readOnly(request, () => readiness.answer())],
    [
      'robots.txt',
      ({ request }) =>
        readOnly(request, () => new Response('User-agent: *\nDisallow: /api/\n', { headers: cacheHeaders })),
    ],
    ['favicon.ico', () => new Response(null, { status: 204, headers: cacheHeaders })],
    ['_linnet', ({ request }) => readOnly(request, () => script(log))],
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
