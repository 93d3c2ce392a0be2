import { routes } from './api/routes.ts';
import { errorAnswer, serveApi } from './api/serve.ts';
import { Authenticator } from './auth/authenticate.ts';
import type { RawHit } from './clicks/enrich.ts';
import { LiveClicks } from './clicks/live.ts';
import type { Recording } from './clicks/recording.ts';
import { contextOf, delivererOf, errandsOf, mailerOf } from './compose/context.ts';
import { toDashboard } from './compose/dashboard-door.ts';
import { changeFollower, hostsOf, recordingOf, redirectHandler } from './compose/data-plane.ts';
import { domainMeansOf } from './compose/domains.ts';
import { linkDoor, serviceDoors } from './compose/doors.ts';
import type { Overrides } from './compose/overrides.ts';
import { regularly } from './compose/regularly.ts';
import type { Config } from './config/options.ts';
import { type Doors, expressDoor, frontDoor } from './http/front-door.ts';
import { listen } from './http/listen.ts';
import { checkDueDomains } from './manage/check-due-domains.ts';
import type { Context } from './manage/context.ts';
import { setupToken } from './manage/register-user.ts';
import { tellExpiries } from './manage/tell-expiries.ts';
import { tidyUp } from './manage/tidy-up.ts';
import { LinkCache } from './redirect/link-cache.ts';
import { notFoundPage, unavailablePage } from './redirect/pages.ts';
import { Refusal, StoreAway } from './rules/errors.ts';
import { Site } from './rules/site.ts';
import { findLinkForVisitor } from './storage/links.ts';
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
  readonly clicks: Recording;
  /** What makes the first account from elsewhere; null once there is an account. */
  readonly setupToken: string | null;
  /** Lets what is under way finish, then closes everything, last opened first. */
  stop(): Promise<void>;
}

const cacheBounds = { bytes: 64 * 1024 * 1024, misses: 100_000 };
/** A click is seen within a second of its answer: the fold and this look share it. */
const liveInterval = 300;
/** Proxies end what is silent for longer. */
const heartbeat = 15_000;
const tidyInterval = 60 * 60 * 1000;
const expiryInterval = 15_000;
const domainInterval = 2_000;

export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const log = overrides.log ?? new Log(config.logLevel);
  const front = listen(config, (cause) => log.error('request failed', cause));
  const opened: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const site = new Site(config.baseUrl ?? new URL(`http://127.0.0.1:${front.port}`));
    const { database, secrets } = await openStore(config, log);
    opened.push(() => database.close());
    const links = new LinkCache(
      (domainId, suffix) => findLinkForVisitor(database.lookup, domainId, suffix),
      cacheBounds,
    );
    const deliverer = delivererOf(config, site, database, secrets, overrides, log);
    const now = overrides.now ?? Date.now;
    const hosts = hostsOf(site, database, now);
    const context = contextOf(config, site, database, secrets, overrides, {
      linkChanged: (domainId, suffix) => links.forget(domainId, suffix),
      webhooks: deliverer,
      mailer: mailerOf(config, site, overrides, log),
      errands: errandsOf(log),
      domains: domainMeansOf(config, site, now, (host) => hosts.forget(host), log),
    });
    opened.push(() => context.errands.finish());
    const authenticator = new Authenticator(database, context.now, (cause) =>
      log.error('key use not noted', cause),
    );
    opened.push(() => authenticator.finish());
    const follower = changeFollower(context, links, hosts, log);
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
    const clicks = recordingOf(config, site, context, overrides, log);
    opened.push(() => clicks.stop());
    clicks.onFolded(() => live.folded());
    const tidyingClicks = setInterval(() => clicks.tidy(), tidyInterval);
    opened.push(async () => clearInterval(tidyingClicks));
    const record = overrides.hits === 'dropped' ? null : (hit: RawHit) => clicks.append(hit);
    const redirects = redirectHandler(config, context, links, hosts, record, log);
    const doors: Doors = {
      trustedProxies: config.trustedProxies,
      domainOf: (host) => hosts.domainOf(host),
      isCustom: (domainId) => domainId !== defaultDomainId,
      service: serviceDoors(context, serveApi(routes, { ...context, live }, authenticator, log), hosts, log),
      shared: new Set(['_linnet', 'robots.txt', 'favicon.ico']),
      home: toDashboard,
      link: (arrival, domainId) => linkDoor(redirects, site, arrival, domainId),
      express: (visit, domainId, host, address) => redirects.express.answer(domainId, host, visit, address),
      stranger: ({ host }, cause) => (cause === undefined ? notFoundPage(host) : unavailablePage(host)),
      badRequest: () => errorAnswer(new Refusal('REQUEST_MALFORMED', 'The request names no usable host.')),
    };
    front.open(frontDoor(doors), expressDoor(doors));
    const token = (await hasUsers(database.read)) ? null : setupToken(context);
    opened.push(() => front.drain());
    // First of all: what would otherwise never end lets the others be waited for.
    opened.push(() => live.close());
    return { url: site.origin, listening: front.origin, context, clicks, setupToken: token, stop };
  } catch (cause) {
    await front.drain();
    await stop();
    throw cause;
  }
}
