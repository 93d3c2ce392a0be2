import { inside, outside } from './outside-target.ts';

export const html = (body: string, headers = {}) =>
  new Response(body, { headers: { 'content-type': 'text/html', ...headers } });

export interface Site {
  readonly url: string;
  readonly requestedPaths: string[];
  /** The maximum number of concurrent requests. */
  readonly maxConcurrent: () => number;
  stop(): void;
}

const opened: Site[] = [];
const inUrl = (address: string) => (address.includes(':') ? `[${address}]` : address);

/** A site on a port of its own, and so a host of its own; by default at an address that may be fetched from. */
export function site(response: (path: string) => Response | Promise<Response>, address = outside): Site {
  const asked: string[] = [];
  let [active, maxActive] = [0, 0];
  const server = Bun.serve({
    port: 0,
    hostname: address,
    idleTimeout: 60,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      asked.push(pathname + search);
      maxActive = Math.max(maxActive, ++active);
      try {
        return await response(pathname);
      } finally {
        active -= 1;
      }
    },
  });
  const newSite: Site = {
    url: `http://${inUrl(address)}:${server.port}`,
    requestedPaths: asked,
    maxConcurrent: () => maxActive,
    stop: () => void server.stop(true),
  };
  opened.push(newSite);
  return newSite;
}

/** Stops all sites. */
export function stopSites(): void {
  for (const one of opened.splice(0)) one.stop();
}

/** Settings of an app that fetches titles from these sites. */
export const titleSettings = { FETCH_TITLES: 'on', WEBHOOK_ALLOW: outside };
export const titleOverrides = {
  pageInterval: 50,
  webhooks: { postOptions: { deadline: 1_500, lookup: async () => [inside] } },
};
