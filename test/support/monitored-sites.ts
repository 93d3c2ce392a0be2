import type { TestApp } from './app.ts';
import { eventually } from './eventually.ts';

/** A request to a site; `at` is the time by the app's clock. */
interface SiteRequest {
  readonly host: string;
  readonly path: string;
  readonly agent: string;
  readonly at: number;
}

export interface Sites {
  readonly port: number;
  clock: { now: number };
  /** Makes every name unresolvable. */
  isUnresolvable: boolean;
  /** Resolves all names under example.com to this machine. */
  readonly lookup: (name: string) => Promise<readonly string[]>;
  respond(host: string, path: string, response: () => Response): void;
  requestsTo(host: string): readonly SiteRequest[];
  stop(): void;
}

/** A real server of many hosts. By default, every page exists and no robots.txt does. */
export function startSites(): Sites {
  const responses = new Map<string, () => Response>();
  const requests: SiteRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { hostname: host, pathname: path } = new URL(request.url);
      requests.push({ host, path, agent: request.headers.get('user-agent') ?? '', at: sites.clock.now });
      const isRobots = path === '/robots.txt';
      return responses.get(host + path)?.() ?? new Response('a page', { status: isRobots ? 404 : 200 });
    },
  });
  const sites: Sites = {
    port: server.port ?? 0,
    clock: { now: 0 },
    isUnresolvable: false,
    lookup: async (name) => (name.endsWith('.example.com') && !sites.isUnresolvable ? ['127.0.0.1'] : []),
    respond: (host, path, response) => void responses.set(host + path, response),
    requestsTo: (host) => requests.filter((request) => request.host === host),
    stop: () => void server.stop(true),
  };
  return sites;
}

/** The number of hosts that are due or being checked, and of results that haven't been reported. */
export async function dueChecks({ app, clock }: TestApp): Promise<number> {
  const { lookup } = app.context.database;
  const hosts = await lookup.selectFrom('watched_hosts').selectAll().execute();
  const untold = await lookup
    .selectFrom('watched_urls')
    .select('id')
    .where('untold', 'is not', null)
    .execute();
  const [sweep] = await lookup.selectFrom('watch_sweeps').selectAll().execute();
  const isSwept = sweep?.claimed_until === 0 && sweep.finished_at > clock.now - 15 * 60_000;
  const busy = hosts.filter(
    ({ due_at, free_at }) => (due_at <= clock.now && free_at <= clock.now) || free_at > clock.now + 10_000,
  );
  return busy.length + untold.length + (isSwept ? 0 : 1);
}

/** Advances the clocks, and stops at each time at which a check is due until it is done. */
export async function advanceWatch(nodes: readonly TestApp[], time: number): Promise<void> {
  const [app] = nodes;
  if (!app) return;
  const end = app.clock.now + time;
  const { lookup } = app.app.context.database;
  for (;;) {
    await eventually(async () => (await dueChecks(app)) === 0, 'the due checks');
    if (app.clock.now >= end) return;
    const hosts = await lookup.selectFrom('watched_hosts').select(['due_at', 'free_at']).execute();
    const next = hosts.map(({ due_at, free_at }) => Math.max(due_at, free_at));
    const at = Math.min(end, ...next.filter((instant) => instant > app.clock.now));
    for (const { clock } of nodes) clock.now = at;
  }
}
