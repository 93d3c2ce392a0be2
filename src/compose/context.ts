import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { PasswordAttempts } from '../auth/password-attempts.ts';
import { Passwords } from '../auth/passwords.ts';
import { RateLimit } from '../auth/rate-limit.ts';
import type { Secrets } from '../auth/secrets.ts';
import { Tokens } from '../auth/tokens.ts';
import type { Config } from '../config/options.ts';
import { trustsProxies } from '../http/client-address.ts';
import { Mailer } from '../mail/mailer.ts';
import { BackgroundTasks } from '../manage/background-tasks.ts';
import type { Context } from '../manage/context.ts';
import { linkStorer } from '../manage/links/store-links.ts';
import { StoreUnavailable } from '../rules/errors.ts';
import { isLoopbackName } from '../rules/host.ts';
import { buffered } from '../rules/random-text.ts';
import type { Site } from '../rules/site.ts';
import { randomSuffix } from '../rules/suffix.ts';
import { allowListOf } from '../rules/webhook-allow.ts';
import type { Database } from '../storage/database.ts';
import { findVerifiedDomain } from '../storage/domains.ts';
import type { Log } from '../telemetry/log.ts';
import { Deliverer } from '../webhooks/deliver.ts';
import { placesKnown } from './countries.ts';
import { domainContextOf } from './domains.ts';
import type { Overrides } from './overrides.ts';

/** The context of the control plane, for the app and for the command line. */
export function contextOf(
  config: Config,
  site: Site,
  database: Database,
  secrets: Secrets,
  overrides: Overrides = {},
  live: Pick<
    Context,
    | 'linksChanged'
    | 'callerChanged'
    | 'clicksFolded'
    | 'webhooks'
    | 'domains'
    | 'isOurHost'
    | 'mailer'
    | 'backgroundTasks'
    | 'runChecks'
  > = {
    linksChanged: () => {},
    callerChanged: () => {},
    clicksFolded: async () => {},
    webhooks: delivererOf(config, site, database, secrets, overrides),
    domains: domainContextOf(config, site, overrides.now ?? Date.now, () => {}),
    isOurHost: async (host) => (await findVerifiedDomain(database.lookup, host)) !== undefined,
    mailer: null,
    backgroundTasks: new BackgroundTasks(() => {}),
    runChecks: async () => [],
  },
): Context {
  const now = overrides.now ?? Date.now;
  const bytes = overrides.randomBytes ?? buffered(randomBytes);
  const drawSuffix = () => randomSuffix(bytes);
  const limits = new RateLimit(database, secrets, now);
  return {
    database,
    site,
    secrets,
    config,
    now,
    randomBytes: bytes,
    randomSuffix: drawSuffix,
    placesKnown: placesKnown(config),
    passwords: new Passwords(overrides.hashCost),
    tokens: new Tokens(database, secrets, bytes, now),
    limits,
    passwordAttempts: new PasswordAttempts(limits, database, secrets, now),
    storeLink: linkStorer({ database, now, randomSuffix: drawSuffix }),
    ...live,
  };
}

/** Milliseconds. Shorter than a connection may be idle, because the API call answers whether the mail was sent. */
const mailDeadline = 8_000;

export function mailerOf(config: Config, site: Site, overrides: Overrides, log: Log): Mailer | null {
  if (config.smtpUrl === null) return null;
  const { hostname } = new URL(site.origin);
  const host = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : 'localhost';
  return new Mailer({
    url: config.smtpUrl,
    from: config.mailFrom ?? { name: 'Linnet', address: `linnet@${host}` },
    deadline: overrides.mailDeadline ?? mailDeadline,
    warn: (event, facts) => log.warn(event, facts),
  });
}

/** They send mail after the answer, so a failure is only visible in the log. */
export const backgroundTasksOf = (log: Log): BackgroundTasks =>
  new BackgroundTasks((cause) =>
    cause instanceof StoreUnavailable
      ? log.warn('mail not sent', { error: cause.message })
      : log.error('mail not sent', cause),
  );

export function delivererOf(
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
    allowed: allowListOf(config.webhookAllow, isLocalOnly(config, site)),
    openKey: (sealed) => secrets.open(sealed),
    onFault: (cause) => log?.warn('webhooks held up', { error: String(cause) }),
    ...overrides.webhooks,
  });
}

/**
 * Any client that can reach the port can send a Host header that names this machine, so BASE_URL alone proves nothing if other
 * machines can reach the port.
 */
const isLocalOnly = ({ host, trustedProxies }: Config, site: Site): boolean =>
  site.isTrial && isLoopbackName(host) && !trustsProxies(trustedProxies);
