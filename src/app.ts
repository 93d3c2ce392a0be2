import { routes } from './api/routes.ts';
import { errorAnswer, serveApi } from './api/serve.ts';
import { Authenticator } from './auth/authenticate.ts';
import { LiveClicks } from './clicks/live.ts';
import { contextOf, delivererOf, errandsOf, mailerOf } from './compose/context.ts';
import { toDashboard } from './compose/dashboard-door.ts';
import { changeFollower, hostsOf, linksOf, redirectHandler } from './compose/data-plane.ts';
import { domainMeansOf } from './compose/domains.ts';
import { linkDoor, serviceDoors } from './compose/doors.ts';
import type { Overrides } from './compose/overrides.ts';
import { regularly } from './compose/regularly.ts';
import { visitorsHere } from './compose/visitor-plane.ts';
import type { Clicks, StartVisitors } from './compose/visitors.ts';
import type { Config } from './config/options.ts';
import { drain } from './http/drain.ts';
import { type Doors, frontDoor } from './http/front-door.ts';
import { InnerServer } from './http/inner-server.ts';
import { Peers } from './http/peers.ts';
import { checkDueDomains } from './manage/check-due-domains.ts';
import type { Context } from './manage/context.ts';
import { setupToken } from './manage/register-user.ts';
import { tellExpiries } from './manage/tell-expiries.ts';
import { tidyUp } from './manage/tidy-up.ts';
import { MissLimit } from './redirect/miss-limit.ts';
import { notFoundPage, unavailablePage } from './redirect/pages.ts';
import { Refusal, StoreAway } from './rules/errors.ts';
import { Site } from './rules/site.ts';
import { defaultDomainId } from './storage/schema.ts';
import { hasUsers } from './storage/users.ts';
import { openStore } from './store.ts';
import { Log } from './telemetry/log.ts';

export type { Overrides } from './compose/overrides.ts';

export interface App {
  /** The address people reach. */
  readonly url: string;
  /** The address this process listens on. */
  readonly listening: string;
  readonly context: Context;
  readonly clicks: Clicks;
  /** What makes the first account from elsewhere; null once there is an account. */
  readonly setupToken: string | null;
  /** Lets what is under way finish, then closes everything, last opened first. */
  stop(): Promise<void>;
}

/** For links that ask a visitor something first: plain ones are cached where they are answered. */
const cacheBounds = { bytes: 8 * 1024 * 1024, misses: 10_000 };
/** A click is seen within a second of its answer: the fold and this look share it. */
const liveInterval = 300;
/** Proxies end what is silent for longer. */
const heartbeat = 15_000;
const tidyInterval = 60 * 60 * 1000;
const expiryInterval = 15_000;
const domainInterval = 2_000;

export async function createApp(
  config: Config,
  overrides: Overrides = {},
  startVisitors: StartVisitors = visitorsHere,
): Promise<App> {
  const log = overrides.log ?? new Log(config.logLevel);
  const peers = new Peers();
  const inner = new InnerServer(peers, (cause) => log.error('request failed', cause));
  const opened: (() => Promise<void>)[] = [() => inner.stop(0)];
  const stop = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const now = overrides.now ?? Date.now;
    const misses = new MissLimit(config.missLimit, now);
    const behind = { port: inner.port, peers, misses: misses.memory };
    const visitors = await startVisitors(config, behind, overrides, log);
    opened.push(() => visitors.close());
    const site = new Site(config.baseUrl ?? new URL(`http://127.0.0.1:${visitors.port}`));
    const { database, secrets } = await openStore(config, log);
    opened.push(() => database.close());
    const links = linksOf(database.lookup, cacheBounds);
    const deliverer = delivererOf(config, site, database, secrets, overrides, log);
    const hosts = hostsOf(site, database.lookup, now);
    const hostChanged = (host: string) => {
      hosts.forget(host);
      visitors.change({ links: [], hosts: [host] });
    };
    const context = contextOf(config, site, database, secrets, overrides, {
      linkChanged: (domainId, suffix) => {
        links.forget(domainId, suffix);
        visitors.change({ links: [{ domainId, suffix }], hosts: [] });
      },
      webhooks: deliverer,
      mailer: mailerOf(config, site, overrides, log),
      errands: errandsOf(log),
      domains: domainMeansOf(config, site, now, hostChanged, log),
    });
    opened.push(() => context.errands.finish());
    const authenticator = new Authenticator(database, context.now, (cause) =>
      log.error('key use not noted', cause),
    );
    opened.push(() => authenticator.finish());
    const follower = changeFollower(database.lookup, now, links, hosts, log);
    await follower.start(overrides.pollInterval ?? 400);
    opened.push(() => follower.stop());
    const tidying = regularly(
      () => tidyUp(context),
      tidyInterval,
      (cause) => log.warn('tidying failed', { error: String(cause) }),
    );
    opened.push(() => tidying.stop());
    deliverer.start();
    opened.push(() => deliverer.stop());
    const expiries = regularly(
      () => tellExpiries(context),
      overrides.expiryInterval ?? expiryInterval,
      (cause) => log.warn('expiries not told', { error: String(cause) }),
    );
    opened.push(() => expiries.stop());
    const domainChecks = regularly(
      () => checkDueDomains(context),
      overrides.domainInterval ?? domainInterval,
      // That the store is away is said often enough by whoever reads the change feed.
      (cause) => cause instanceof StoreAway || log.error('domains not checked', cause),
    );
    opened.push(() => {
      context.domains.close();
      return domainChecks.stop();
    });

    const live = new LiveClicks(database, {
      interval: liveInterval,
      heartbeat: overrides.heartbeat ?? heartbeat,
      onFault: (cause) => log.warn('live clicks away', { error: String(cause) }),
    });
    await visitors.open(site.origin);
    const { clicks } = visitors;
    clicks.onFolded(() => live.folded());
    const tidyingClicks = setInterval(() => clicks.tidy(), tidyInterval);
    opened.push(async () => clearInterval(tidyingClicks));
    const redirects = redirectHandler(
      config,
      context,
      links,
      hosts,
      misses,
      (hit) => clicks.append(hit),
      log,
    );
    const serve = serveApi(routes, { ...context, live }, authenticator, log);
    const api: typeof serve = async (...call) => {
      const answer = await serve(...call);
      // Who has changed a link and visits it finds it changed.
      await visitors.caughtUp();
      return answer;
    };
    const doors: Doors = {
      trustedProxies: config.trustedProxies,
      domainOf: (host) => hosts.domainOf(host),
      isCustom: (domainId) => domainId !== defaultDomainId,
      service: serviceDoors(context, api, hosts, log),
      shared: new Set(['_linnet', 'robots.txt', 'favicon.ico']),
      home: toDashboard,
      link: (arrival, domainId) => linkDoor(redirects, site, arrival, domainId),
      stranger: ({ host }, cause) => (cause === undefined ? notFoundPage(host) : unavailablePage(host)),
      badRequest: () => errorAnswer(new Refusal('REQUEST_MALFORMED', 'The request names no usable host.')),
    };
    inner.open(frontDoor(doors));
    const token = (await hasUsers(database.read)) ? null : setupToken(context);
    opened.push(() => drain(visitors, inner));
    // First of all: what would otherwise never end lets the others be waited for.
    opened.push(() => live.close());
    return { url: site.origin, listening: visitors.origin, context, clicks, setupToken: token, stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}
