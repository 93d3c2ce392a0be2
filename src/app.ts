import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { openApiDocument } from './api/openapi.ts';
import { qrImage } from './api/qr-image.ts';
import { referencePage } from './api/reference-page.ts';
import { routes } from './api/routes.ts';
import { errorAnswer, serveApi } from './api/serve.ts';
import { Authenticator } from './auth/authenticate.ts';
import { Passwords } from './auth/passwords.ts';
import { guessLimits, RateLimit } from './auth/rate-limit.ts';
import type { Secrets } from './auth/secrets.ts';
import { Tokens } from './auth/tokens.ts';
import type { RawHit } from './clicks/enrich.ts';
import { type JournalDisk, realDisk } from './clicks/journal.ts';
import { LiveClicks } from './clicks/live.ts';
import { Recording } from './clicks/recording.ts';
import type { Config } from './config/options.ts';
import { believesProxies } from './http/client-address.ts';
import { type Arrival, frontDoor } from './http/front-door.ts';
import { drain, listen } from './http/listen.ts';
import type { Context } from './manage/context.ts';
import { setupToken } from './manage/register-user.ts';
import { tellExpiries } from './manage/tell-expiries.ts';
import { tidyUp } from './manage/tidy-up.ts';
import { ChangeFollower } from './redirect/follow-changes.ts';
import { CaptchaGate } from './redirect/gates/captcha.ts';
import { captchaScript } from './redirect/gates/captcha-script.ts';
import { PasswordGate } from './redirect/gates/password.ts';
import { RedirectHandler, type RedirectParts } from './redirect/handler.ts';
import { Hosts } from './redirect/hosts.ts';
import { LinkCache } from './redirect/link-cache.ts';
import { MissLimit } from './redirect/miss-limit.ts';
import { homePage, methodPage, notFoundPage, unavailablePage } from './redirect/pages.ts';
import { Refusal, StoreAway } from './rules/errors.ts';
import type { RandomBytes } from './rules/random-text.ts';
import { Site } from './rules/site.ts';
import { allowListOf } from './rules/webhook-allow.ts';
import { useChallenge } from './storage/challenges.ts';
import { changesAfter, changesAmong, newestChangeId } from './storage/changes.ts';
import type { Database } from './storage/database.ts';
import { findVerifiedDomain } from './storage/domains.ts';
import { findLinkForVisitor } from './storage/links.ts';
import { defaultDomainId } from './storage/schema.ts';
import { hasUsers } from './storage/users.ts';
import { openStore } from './store.ts';
import { Log } from './telemetry/log.ts';
import { Deliverer, type DelivererParts } from './webhooks/deliver.ts';

/** What a test may put in the place of the world. */
export interface Overrides {
  readonly now?: () => number;
  readonly randomBytes?: RandomBytes;
  readonly log?: Log;
  /** How often the change feed is looked at, in milliseconds. */
  readonly pollInterval?: number;
  /** What the journal is written to. */
  readonly journalDisk?: JournalDisk;
  /** For the bench: hits that are answered and forgotten, or written and never folded. */
  readonly hits?: 'dropped' | 'unfolded';
  /** How often a stream that has nothing to tell says so, in milliseconds. */
  readonly heartbeat?: number;
  readonly webhooks?: Pick<DelivererParts, 'limits' | 'pollInterval' | 'random' | 'means'>;
  /** How often expired links are looked for, in milliseconds. */
  readonly expiryInterval?: number;
}

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
    const context = contextOf(config, site, database, secrets, overrides, {
      linkChanged: (domainId, suffix) => links.forget(domainId, suffix),
      webhooks: deliverer,
    });
    const authenticator = new Authenticator(database, context.now, (cause) =>
      log.error('key use not noted', cause),
    );
    opened.push(() => authenticator.finish());
    const follower = changeFollower(context, links, log);
    await follower.start(overrides.pollInterval ?? 400);
    opened.push(() => follower.stop());
    const tidy = () => tidyUp(context).catch((cause) => log.warn('tidying failed', { error: String(cause) }));
    const tidying = setInterval(tidy, tidyInterval);
    const firstTidying = tidy();
    opened.push(() => firstTidying);
    opened.push(async () => clearInterval(tidying));
    deliverer.start();
    opened.push(() => deliverer.stop());
    const expiries = repeat(
      () => tellExpiries(context),
      overrides.expiryInterval ?? expiryInterval,
      (cause) => log.warn('expiries not told', { error: String(cause) }),
    );
    opened.push(() => expiries.stop());

    const hosts = new Hosts(
      site,
      async (host) => (await findVerifiedDomain(database.lookup, host))?.id ?? null,
      context.now,
    );
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
    const redirects = redirectHandler(config, context, links, record, log);
    front.open(
      frontDoor({
        trustedProxies: config.trustedProxies,
        domainOf: (host) => hosts.domainOf(host),
        isCustom: (domainId) => domainId !== defaultDomainId,
        service: serviceDoors(context, serveApi(routes, { ...context, live }, authenticator, log), log),
        shared: new Set(['_linnet', 'robots.txt', 'favicon.ico']),
        home: ({ request, host }) => (isRead(request) ? homePage(host) : methodPage(host, 'GET, HEAD')),
        link: (arrival, domainId) => linkDoor(redirects, site, arrival, domainId),
        stranger: ({ host }, cause) => (cause === undefined ? notFoundPage(host) : unavailablePage(host)),
        badRequest: () => errorAnswer(new Refusal('REQUEST_MALFORMED', 'The request names no usable host.')),
      }),
    );
    const token = (await hasUsers(database.read)) ? null : setupToken(context);
    opened.push(() => drain(front.server));
    // First of all: what would otherwise never end lets the others be waited for.
    opened.push(() => live.close());
    return { url: site.origin, listening: front.server.url.origin, context, clicks, setupToken: token, stop };
  } catch (cause) {
    await front.server.stop(true);
    await stop();
    throw cause;
  }
}

/** The control plane's means, for the app and for the command line. */
export function contextOf(
  config: Config,
  site: Site,
  database: Database,
  secrets: Secrets,
  overrides: Overrides = {},
  live: Pick<Context, 'linkChanged' | 'webhooks'> = {
    linkChanged: () => {},
    webhooks: delivererOf(config, site, database, secrets, overrides),
  },
): Context {
  const now = overrides.now ?? Date.now;
  const bytes = overrides.randomBytes ?? randomBytes;
  return {
    database,
    site,
    secrets,
    config,
    now,
    randomBytes: bytes,
    passwords: new Passwords(),
    tokens: new Tokens(database, secrets, bytes, now),
    limits: new RateLimit(database, secrets, now),
    ...live,
  };
}

function delivererOf(
  config: Config,
  site: Site,
  database: Database,
  secrets: Secrets,
  overrides: Overrides,
  log?: Log,
): Deliverer {
  return new Deliverer({
    database,
    now: overrides.now ?? Date.now,
    allowed: allowListOf(config.webhookAllow, site.isTrial),
    openKey: (sealed) => secrets.open(sealed),
    onFault: (cause) => log?.warn('webhooks held up', { error: String(cause) }),
    ...overrides.webhooks,
  });
}

/** Does something again and again, each time after the last one has ended. */
function repeat(work: () => Promise<void>, interval: number, onFault: (cause: unknown) => void) {
  let timer: Timer | undefined;
  let isStopped = false;
  const turn = async (): Promise<void> => {
    await work().catch(onFault);
    if (!isStopped) timer = setTimeout(start, interval);
  };
  let running = turn();
  const start = () => {
    running = turn();
  };
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

function changeFollower({ database, now }: Context, links: LinkCache, log: Log): ChangeFollower {
  const feed = {
    newest: () => newestChangeId(database.lookup),
    after: (id: number, most: number) => changesAfter(database.lookup, id, most),
    among: (ids: readonly number[]) => changesAmong(database.lookup, ids),
  };
  const follower = {
    changed: ({ domain_id, suffix }: { domain_id: number; suffix: string }) =>
      links.forget(domain_id, suffix),
    lost: () => links.clear(),
    failed: (cause: unknown) => log.warn('change feed away', { error: String(cause) }),
  };
  return new ChangeFollower(feed, follower, now);
}

function recordingOf(
  config: Config,
  site: Site,
  { now }: Context,
  overrides: Overrides,
  log: Log,
): Recording {
  return new Recording({
    settings: {
      dataDir: resolve(config.dataDir),
      databaseUrl: config.databaseUrl,
      origin: site.origin,
      daysKept: config.clickRetentionDays,
      webhookAddress: config.webhookAddress,
    },
    disk: overrides.journalDisk ?? realDisk,
    now,
    startThread:
      overrides.hits === 'unfolded'
        ? null
        : () => new Worker(new URL('./fold-thread.ts', import.meta.url).href, { smol: true }),
    warn: (event, facts) => log.warn(event, facts),
    fault: (event, cause) => log.error(event, cause),
  });
}

function redirectHandler(
  config: Config,
  context: Context,
  links: LinkCache,
  record: RedirectParts['record'],
  log: Log,
): RedirectHandler {
  const { secrets, now, database, site, limits, passwords } = context;
  return new RedirectHandler({
    links,
    now,
    record,
    believesProxies: believesProxies(config.trustedProxies),
    misses: new MissLimit(config.missLimit, now),
    onFault: (cause) =>
      cause instanceof StoreAway
        ? log.warn('store away', { error: cause.message })
        : log.error('redirect failed', cause),
    password: new PasswordGate({
      now,
      secureCookies: site.isSecure,
      sign: (text) => secrets.sign('link-pass', text),
      verifySignature: (text, signature) => secrets.verify('link-pass', text, signature),
      verifyPassword: (password, hash) => passwords.verify(password, hash),
      reserveGuess: (linkId, network) => limits.reserve(guessLimits(`link|${linkId}`, network)),
    }),
    captcha: new CaptchaGate({
      now,
      secret: secrets.text('captcha'),
      sign: (text) => secrets.sign('captcha', text, 22),
      useOnce: (challenge, expiresAt) =>
        database.write((queries) => useChallenge(queries, challenge, expiresAt)),
    }),
  });
}

function linkDoor(redirects: RedirectHandler, site: Site, arrival: Arrival, domainId: number) {
  const { request, host, path, search, address, network } = arrival;
  const isCustom = domainId !== defaultDomainId;
  const publicUrl = (suffix: string) => site.linkUrl(isCustom ? host : null, suffix);
  const answer = redirects.answer({ request, domainId, host, path, search, address, network, publicUrl });
  if (!isCustom || (path !== '/api' && !path.startsWith('/api/'))) return answer;
  // Where the API is not, a client that looks for it is still told so in its own language.
  return Promise.resolve(answer).then((found) =>
    found.status === 404
      ? errorAnswer(new Refusal('ROUTE_NOT_FOUND', 'The API is not on this domain.'))
      : found,
  );
}

type ServiceDoor = (arrival: Arrival) => Response | Promise<Response>;

function serviceDoors(
  context: Context,
  api: ReturnType<typeof serveApi>,
  log: Log,
): ReadonlyMap<string, ServiceDoor> {
  const document = openApiDocument(routes, context.site.origin);
  const json = JSON.stringify(document);
  const reference = referencePage(document);
  const kept = { 'cache-control': 'public, max-age=3600' };
  return new Map<string, ServiceDoor>([
    ['api', ({ request, network, isLocal, keepOpen }) => api(request, { network, isLocal, keepOpen })],
    ['qr', ({ request, path }) => onlyRead(request, () => qrImage(context, path, log))],
    [
      'docs',
      ({ request, path }) => onlyRead(request, () => (path === '/docs' ? reference() : notFoundPage('docs'))),
    ],
    [
      'openapi.json',
      ({ request }) =>
        onlyRead(
          request,
          () => new Response(json, { headers: { 'content-type': 'application/json', ...kept } }),
        ),
    ],
    ['healthz', ({ request }) => onlyRead(request, () => Response.json({ status: 'ok' }))],
    ['readyz', ({ request }) => onlyRead(request, () => readiness(context.database))],
    [
      'robots.txt',
      ({ request }) =>
        onlyRead(request, () => new Response('User-agent: *\nDisallow: /api/\n', { headers: kept })),
    ],
    ['favicon.ico', () => new Response(null, { status: 204, headers: kept })],
    ['_linnet', ({ request }) => onlyRead(request, () => script(log))],
  ]);
}

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

function onlyRead(
  request: Request,
  answer: () => Response | Promise<Response>,
): Response | Promise<Response> {
  if (isRead(request)) return answer();
  return errorAnswer(new Refusal('METHOD_NOT_ALLOWED', 'This address can only be read.'), {
    allow: 'GET, HEAD',
  });
}

async function readiness(database: Database): Promise<Response> {
  try {
    await hasUsers(database.lookup);
    return Response.json({ status: 'ready' });
  } catch {
    return Response.json({ status: 'database away' }, { status: 503, headers: { 'retry-after': '5' } });
  }
}

async function script(log: Log): Promise<Response> {
  try {
    const headers = {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=86400',
      'x-content-type-options': 'nosniff',
    };
    return new Response(await captchaScript(), { headers });
  } catch (cause) {
    log.error('captcha script not built', cause);
    return new Response(null, { status: 500 });
  }
}
