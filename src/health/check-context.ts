import type { Secrets } from '../auth/secrets.ts';
import type { ReadOnlyStore } from '../backup/read-only-store.ts';
import type { Config } from '../config/options.ts';
import type { Dns } from '../domains/dns.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Finding } from '../rules/finding.ts';
import type { Site } from '../rules/site.ts';

/** What the checks of an instance depend on. */
export interface CheckContext {
  readonly config: Config;
  readonly dataDir: string;
  readonly site: Site;
  /** Null if there is no key yet, or it can't be used: `keyProblem` says why. */
  readonly secrets: Secrets | null;
  readonly keyProblem: string | null;
  /** Null if there is no store, or it is down: `storeProblem` says why. */
  readonly store: ReadOnlyStore | null;
  readonly storeProblem: string | null;
  readonly dns: Pick<Dns, 'addressesOf'>;
  readonly mailer: Pick<Mailer, 'check'> | null;
  readonly now: number;
}

/** Where the public address comes from, for advice. */
export const addressSetting = ({ config, site }: Pick<CheckContext, 'config' | 'site'>): string =>
  config.baseUrl === null && !site.isTrial ? 'the stored address ("base-url set" changes it)' : 'BASE_URL';

export type Findings = Finding | readonly Finding[];
