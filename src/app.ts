import { BodyMemory } from './api/body-memory.ts';
import { HeavyReads } from './api/heavy-reads.ts';
import { routes } from './api/routes.ts';
import { serveApi } from './api/serve.ts';
import { siteOf, whenMoved } from './compose/base-url.ts';
import { bundleEarly } from './compose/bundle-early.ts';
import { followChanges, forget, knownOf } from './compose/caches.ts';
import { openControlPlane } from './compose/control-plane.ts';
import { drain } from './compose/drain.ts';
import { liveClicksOf } from './compose/live-clicks.ts';
import type { Overrides } from './compose/overrides.ts';
import { takePorts } from './compose/ports.ts';
import { requestHandlerOf } from './compose/redirects.ts';
import { doorsTo } from './compose/router.ts';
import { keepClicksTidy, startDuties } from './compose/scheduled-jobs.ts';
import type { Start } from './compose/start.ts';
import { visitorsHere } from './compose/visitor-plane.ts';
import type { Clicks, StartVisitors } from './compose/visitors.ts';
import type { Config } from './config/options.ts';
import { router } from './http/router.ts';
import type { RawHit } from './journal/hit.ts';
import type { Context } from './manage/context.ts';
import { setupToken } from './manage/register-user.ts';
import type { Lookups } from './storage/database.ts';
import { findLinkForVisitor } from './storage/links.ts';
import { hasUsers } from './storage/users.ts';
import { openStore } from './store.ts';
import { Log } from './telemetry/log.ts';

export type { Overrides } from './compose/overrides.ts';

export interface App {
  /** The address people reach. */
  readonly url: string;
  /** The address this process listens on. */
  readonly listening: string;
  readonly port: number;
  readonly context: Context;
  readonly clicks: Clicks;
  /** What makes the first account from elsewhere; null once there is an account. */
  readonly setupToken: string | null;
  /** Fulfilled when the address people reach has become another one: this app knows only the one before. */
  readonly moved: Promise<void>;
  /** Lets what is under way finish, then closes everything, last opened first. */
  stop(): Promise<void>;
}

/** For links that ask a visitor something first: plain ones are cached where they are answered. */
const cacheBounds = { bytes: 8 * 1024 * 1024, misses: 10_000 };

export async function createApp(
  config: Config,
  overrides: Overrides = {},
  startVisitors: StartVisitors = visitorsHere,
): Promise<App> {
  const log = overrides.log ?? new Log(config.logLevel);
  const opened = new AsyncDisposableStack();
  try {
    return await open({ config, overrides, log, now: overrides.now ?? Date.now, opened }, startVisitors);
  } catch (cause) {
    await opened.disposeAsync().catch((fault) => log.error('start not undone', fault));
    throw cause;
  }
}

/** Step by step, in this order; the stop goes back the same way. */
async function open(start: Start, startVisitors: StartVisitors): Promise<App> {
  const { config, log, now, opened } = start;
  // Closed last, behind the visitors' and the fold's own connections: SQLite clears its log away with the last that can write.
  const storage = opened.use(new AsyncDisposableStack());
  const { appServer, visitors, misses } = await takePorts(start, startVisitors);
  const store = await openStore(config, log);
  const { database } = store;
  storage.defer(() => database.close());
  const site = await siteOf(config, database, visitors.port);

  const lookups: Pick<Lookups, 'queries' | 'link'> = {
    queries: database.lookup,
    link: (domainId, suffix) => findLinkForVisitor(database.lookup, domainId, suffix),
  };
  const known = knownOf(site, lookups, now, cacheBounds);
  const { context, deliverer, authenticator } = openControlPlane(start, site, store, (change) => {
    forget(known, change);
    visitors.change(change);
  });
  await followChanges(known, database.lookup, start);
  startDuties(start, context, deliverer);

  await visitors.open(site.origin);
  const { clicks } = visitors;
  const live = liveClicksOf(start, database, clicks);
  keepClicksTidy(start, clicks);
  // The port is closed before anything else, then what would otherwise never end: the others can be waited for.
  opened.defer(async () => void (await Promise.all([drain(visitors, appServer), live.close()])));

  const record = (hit: RawHit) => clicks.append(hit) ?? 'stored';
  const redirects = requestHandlerOf({ config, context, known, misses, record, log });
  const shared = { live, bodies: new BodyMemory(), heavyReads: new HeavyReads() };
  const serve = serveApi(routes, { ...context, ...shared }, authenticator, log);
  const api: typeof serve = async (...call) => {
    const answer = await serve(...call);
    // Who has changed a link and visits it finds it changed.
    await visitors.caughtUp();
    return answer;
  };
  appServer.open(router(doorsTo({ config, context, hosts: known.hosts, redirects, api, log })));
  const token = (await hasUsers(database.read)) ? null : setupToken(context);
  await visitors.listen();
  bundleEarly(start);
  return {
    url: site.origin,
    listening: visitors.origin,
    port: visitors.port,
    context,
    clicks,
    setupToken: token,
    moved: token === null ? new Promise(() => {}) : whenMoved(start, database, site),
    stop: () => opened.disposeAsync(),
  };
}
