import { CachedBundle } from '../bundle/bundle-cache.ts';
import type { BundledFile } from '../bundle/bundled-file.ts';
import type { IncomingRequest } from '../http/router.ts';
import type { Site } from '../rules/site.ts';
import type { Log } from '../telemetry/log.ts';
import { whileFirstRun } from './first-run.ts';
import { readOnly } from './read-only.ts';

interface Bundle {
  readonly page: BundledFile;
  readonly assets: ReadonlyMap<string, BundledFile>;
}

/** Images may come from anywhere: the preview of a link shows the image that its owner chose. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob: http: https:",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  vary: 'accept-encoding',
};

const pageHeaders = {
  ...commonHeaders,
  'content-security-policy': policy,
  'cache-control': 'no-cache',
  'cross-origin-opener-policy': 'same-origin',
};
const assetHeaders = { ...commonHeaders, 'cache-control': 'public, max-age=31536000, immutable' };

/** Shared by every app of this process. */
export const dashboardBundle = new CachedBundle(
  'dashboard',
  new URL('../dashboard/index.html', import.meta.url),
  (files): Bundle => {
    const assets = new Map<string, BundledFile>();
    let page: BundledFile | undefined;
    for (const file of files) {
      if (file.type.startsWith('text/html')) page = file;
      else assets.set(`/assets/${file.name}`, file);
    }
    if (!page) throw new Error('the dashboard was bundled without a page');
    return { page, assets };
  },
);

interface Routes {
  readonly page: (incoming: IncomingRequest) => Response | Promise<Response>;
  readonly asset: (incoming: IncomingRequest) => Response | Promise<Response>;
}

/**
 * One page for every path of the dashboard: its script reads the path. Served only on the service's own host, because session
 * cookies would not work under another name. Until there is an account it is served under any name, for the set-up.
 */
export function dashboardRoutes(
  site: Site,
  isFirstRun: () => Promise<boolean>,
  missing: (incoming: IncomingRequest) => Response,
  log: Log,
): Routes {
  const routeFor = (pick: (found: Bundle, incoming: IncomingRequest) => Response | null) => {
    const serve = readOnly(async (incoming) => {
      const found = await dashboardBundle
        .get((cause) => log.error('dashboard not bundled', cause))
        .catch(() => null);
      return found === null ? notBundled() : (pick(found, incoming) ?? missing(incoming));
    });
    const onOtherHost = whileFirstRun(isFirstRun, serve, missing);
    return (incoming: IncomingRequest) => (site.isDefaultHost(incoming.host) ? serve : onOtherHost)(incoming);
  };
  return {
    page: routeFor(({ page }, { request }) => answer(request, page, pageHeaders)),
    asset: routeFor(({ assets }, { request, path }) => {
      const asset = assets.get(path);
      return asset ? answer(request, asset, assetHeaders) : null;
    }),
  };
}

const notBundled = (): Response =>
  new Response('The dashboard could not be prepared. The log of the service says why; it is tried again.\n', {
    status: 503,
    headers: { 'retry-after': '2', 'cache-control': 'no-store' },
  });

/** Redirects the root of the service's own host to the dashboard. */
export const toDashboard = readOnly(
  () => new Response(null, { status: 302, headers: { location: '/app', 'cache-control': 'no-cache' } }),
);

/** Whether an Accept-Encoding names a coding, and not to exclude it (`br;q=0`). */
const isAccepted = (header: string, coding: string): boolean =>
  header.split(',').some((entry) => {
    const [name, ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    return name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });

function answer(request: Request, asset: BundledFile, headers: Record<string, string>): Response {
  const accepted = request.headers.get('accept-encoding') ?? '';
  const [coding, bytes] =
    asset.brotli && isAccepted(accepted, 'br')
      ? (['br', asset.brotli] as const)
      : asset.gzip && isAccepted(accepted, 'gzip')
        ? (['gzip', asset.gzip] as const)
        : (['', asset.plain] as const);
  // For HEAD as well: the runtime omits the body and sends its length.
  return new Response(bytes, {
    headers: { ...headers, 'content-type': asset.type, ...(coding && { 'content-encoding': coding }) },
  });
}
