import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { KeptBundle } from '../bundle/kept-bundle.ts';
import type { IncomingRequest } from '../http/router.ts';
import type { Site } from '../rules/site.ts';
import type { Log } from '../telemetry/log.ts';
import { whileFirstRun } from './first-run.ts';
import { readOnly } from './read-only.ts';

interface Asset {
  readonly type: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer> | null;
  readonly brotli: Uint8Array<ArrayBuffer> | null;
}

interface Bundle {
  readonly page: Asset;
  readonly assets: ReadonlyMap<string, Asset>;
}

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);
const compressible = /^(text\/|application\/(javascript|json)|image\/svg)/;

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

const always = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  vary: 'accept-encoding',
};

const pageHeaders = {
  ...always,
  'content-security-policy': policy,
  'cache-control': 'no-cache',
  'cross-origin-opener-policy': 'same-origin',
};
const assetHeaders = { ...always, 'cache-control': 'public, max-age=31536000, immutable' };

/** Shared by every app of this process: there is no build before a start. */
export const dashboardBundle = new KeptBundle(
  new URL('../dashboard/index.html', import.meta.url),
  async (files): Promise<Bundle> => {
    const assets = new Map<string, Asset>();
    let page: Asset | undefined;
    for (const { name, type, bytes } of files) {
      const asset = await assetOf(type, bytes);
      if (type.startsWith('text/html')) page = asset;
      else assets.set(`/assets/${name}`, asset);
    }
    if (!page) throw new Error('the dashboard was bundled without a page');
    return { page, assets };
  },
);

async function assetOf(type: string, plain: Uint8Array<ArrayBuffer>): Promise<Asset> {
  if (!compressible.test(type)) return { type, plain, gzip: null, brotli: null };
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  const [gzip, brotli] = await Promise.all([gzipped(plain), brotlied(plain, quality)]);
  return { type, plain, gzip: Uint8Array.from(gzip), brotli: Uint8Array.from(brotli) };
}

interface Routes {
  readonly page: (incoming: IncomingRequest) => Response | Promise<Response>;
  readonly asset: (incoming: IncomingRequest) => Response | Promise<Response>;
}

/**
 * One page for every path of the dashboard: its script reads the path. Served only on the service's own host, as session
 * cookies would not work under another name. While there is no account it is served under any name, for the set-up.
 */
export function dashboardRoutes(
  site: Site,
  isFirstRun: () => Promise<boolean>,
  missing: (incoming: IncomingRequest) => Response,
  log: Log,
): Routes {
  const from = (pick: (found: Bundle, incoming: IncomingRequest) => Response | null) => {
    const present = (incoming: IncomingRequest) =>
      readOnly(incoming.request, async () => {
        const found = await dashboardBundle
          .get((cause) => log.error('dashboard not bundled', cause))
          .catch(() => null);
        return found === null ? notBundled() : (pick(found, incoming) ?? missing(incoming));
      });
    const elsewhere = whileFirstRun(isFirstRun, present, missing);
    return (incoming: IncomingRequest) => (site.isDefaultHost(incoming.host) ? present : elsewhere)(incoming);
  };
  return {
    page: from(({ page }, { request }) => answer(request, page, pageHeaders)),
    asset: from(({ assets }, { request, path }) => {
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
export const toDashboard = ({ request }: IncomingRequest): Response | Promise<Response> =>
  readOnly(
    request,
    () => new Response(null, { status: 302, headers: { location: '/app', 'cache-control': 'no-cache' } }),
  );

function answer(request: Request, asset: Asset, headers: Record<string, string>): Response {
  const accepted = request.headers.get('accept-encoding') ?? '';
  const [coding, bytes] =
    asset.brotli && /\bbr\b/.test(accepted)
      ? (['br', asset.brotli] as const)
      : asset.gzip && /\bgzip\b/.test(accepted)
        ? (['gzip', asset.gzip] as const)
        : (['', asset.plain] as const);
  // For HEAD as well: the runtime leaves the body out and sends its length.
  return new Response(bytes, {
    headers: { ...headers, 'content-type': asset.type, ...(coding && { 'content-encoding': coding }) },
  });
}
