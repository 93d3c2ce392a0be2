import { randomBytes } from 'node:crypto';
import { Passwords } from '../auth/passwords.ts';
import { RateLimit } from '../auth/rate-limit.ts';
import type { Secrets } from '../auth/secrets.ts';
import { Tokens } from '../auth/tokens.ts';
import type { Config } from '../config/options.ts';
import type { Context } from '../manage/context.ts';
import type { Site } from '../rules/site.ts';
import { allowListOf } from '../rules/webhook-allow.ts';
import type { Database } from '../storage/database.ts';
import type { Log } from '../telemetry/log.ts';
import { Deliverer } from '../webhooks/deliver.ts';
import type { Overrides } from './overrides.ts';

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
    allowed: allowListOf(config.webhookAllow, site.isTrial),
    openKey: (sealed) => secrets.open(sealed),
    onFault: (cause) => log?.warn('webhooks held up', { error: String(cause) }),
    ...overrides.webhooks,
  });
}
