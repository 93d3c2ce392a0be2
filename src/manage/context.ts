import type { PasswordAttempts } from '../auth/password-attempts.ts';
import type { Passwords } from '../auth/passwords.ts';
import type { RateLimit } from '../auth/rate-limit.ts';
import type { Secrets } from '../auth/secrets.ts';
import type { Tokens } from '../auth/tokens.ts';
import type { Config } from '../config/options.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { CheckFinding } from '../rules/finding.ts';
import type { KnownPlaceFields } from '../rules/place.ts';
import type { RandomBytes } from '../rules/random-text.ts';
import type { Site } from '../rules/site.ts';
import type { Database } from '../storage/database.ts';
import type { ChangedLink } from '../storage/links/link-addresses.ts';
import type { Webhooks } from '../webhooks/outbox.ts';
import type { BackgroundTasks } from './background-tasks.ts';
import type { DomainContext } from './domains/domain-context.ts';
import type { StoreLink } from './links/prepared-link.ts';

/** Whether visitors may have requested a link before its change. */
export type Caching = 'may be cached' | 'not cached';

/** What the control plane depends on. Created in `compose/context.ts`, where tests may replace the clock and randomness. */
export interface Context {
  readonly database: Database;
  readonly site: Site;
  readonly secrets: Secrets;
  readonly passwords: Passwords;
  readonly tokens: Tokens;
  readonly limits: RateLimit;
  readonly passwordAttempts: PasswordAttempts;
  readonly storeLink: StoreLink;
  readonly webhooks: Webhooks;
  /** Null without a mail server. */
  readonly mailer: Mailer | null;
  readonly backgroundTasks: BackgroundTasks;
  readonly domains: DomainContext;
  /** Whether a host is a custom domain of this service, from this node's cache; a promise if the store has to be queried. */
  readonly isOurHost: (host: string) => boolean | Promise<boolean>;
  /** Checks what the instance as a whole depends on. */
  readonly runChecks: () => Promise<readonly CheckFinding[]>;
  readonly config: Pick<
    Config,
    | 'baseUrl'
    | 'registration'
    | 'appSchemes'
    | 'webhookAddress'
    | 'clickRetentionDays'
    | 'forwardQuery'
    | 'watchDestinations'
    | 'fetchTitles'
  >;
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  /** For links without a chosen suffix. */
  readonly randomSuffix: () => string;
  /** What rules of links can match besides countries. */
  readonly placesKnown: () => KnownPlaceFields;
  /** Resolves when every click that this node has answered so far is in the store. */
  readonly clicksFolded: () => Promise<void>;
  /** Invalidates this node's caches at once, unless these links can't be cached; other nodes follow the change feed. */
  readonly linksChanged: (links: readonly ChangedLink[], caching?: Caching) => void;
  /** The same for keys of a user that were revoked, and for changed permissions. */
  readonly callerChanged: (userId: number) => void;
}
