import { ApiKeyCache } from '../auth/api-key-cache.ts';
import { Authenticator } from '../auth/authenticate.ts';
import type { Caching, Context } from '../manage/context.ts';
import type { Site } from '../rules/site.ts';
import { isUnavailable } from '../rules/transient-error.ts';
import { findKeyOwner } from '../storage/accounts/api-keys.ts';
import { addressesOf } from '../storage/links/link-addresses.ts';
import { defaultDomainId } from '../storage/schema.ts';
import type { Store } from '../store.ts';
import type { Hosts } from '../visit/hosts.ts';
import type { Deliverer } from '../webhooks/deliver.ts';
import { backgroundTasksOf, contextOf, delivererOf, mailerOf } from './context.ts';
import type { Change } from './data-plane.ts';
import { domainContextOf } from './domains.ts';
import { healthChecksOf } from './health-checks.ts';
import type { Start } from './start.ts';

interface ControlPlane {
  readonly context: Context;
  readonly deliverer: Deliverer;
  readonly authenticator: Authenticator;
  readonly apiKeyCache: ApiKeyCache;
}

/** Everything for managing links. `notify` passes a change to the caches of this process. */
export function openControlPlane(
  start: Start,
  site: Site,
  store: Store,
  notify: (change: Change, caching?: Caching) => void,
  hosts: Hosts,
  clicksFolded: () => Promise<void>,
): ControlPlane {
  const { config, overrides, log, now, opened } = start;
  const { database, secrets } = store;
  const mailer = mailerOf(config, site, overrides, log);
  const deliverer = delivererOf(config, site, database, secrets, overrides, log);
  const apiKeyCache = new ApiKeyCache((hash) => findKeyOwner(database.lookup, hash), overrides.keyLifetime);
  const context = contextOf(config, site, database, secrets, overrides, {
    linksChanged: (links, caching) =>
      notify(
        {
          links: links.flatMap(addressesOf).map(({ domain_id, suffix }) => ({ domainId: domain_id, suffix })),
          hosts: [],
        },
        caching,
      ),
    callerChanged: (userId) => apiKeyCache.forget(userId),
    clicksFolded,
    webhooks: deliverer,
    mailer,
    runChecks: healthChecksOf(start, site, store, mailer),
    backgroundTasks: backgroundTasksOf(log),
    // The service's own host is identified together with its port: other services on the same machine are not ours.
    isOurHost: (host) => {
      const isCustom = (id: number | null) => id !== null && id !== defaultDomainId;
      const domain = hosts.domainOf(host);
      return domain instanceof Promise ? domain.then(isCustom) : isCustom(domain);
    },
    domains: domainContextOf(config, site, now, (host) => notify({ links: [], hosts: [host] }), log),
  });
  opened.defer(() => context.backgroundTasks.finish());
  const authenticator = new Authenticator(database, apiKeyCache, now, (cause) => {
    // While the database is down, the key's next use is recorded instead.
    if (!isUnavailable(cause)) log.error('key use not noted', cause);
  });
  opened.defer(() => authenticator.finish());
  return { context, deliverer, authenticator, apiKeyCache };
}
