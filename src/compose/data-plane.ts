import { resolve } from 'node:path';
import { guessLimits } from '../auth/rate-limit.ts';
import { CountryFileError, openCountryFile } from '../clicks/geo.ts';
import { realDisk } from '../clicks/journal.ts';
import { Recording } from '../clicks/recording.ts';
import type { Config } from '../config/options.ts';
import { believesProxies, networkOf } from '../http/client-address.ts';
import type { Context } from '../manage/context.ts';
import { ChangeFollower } from '../redirect/follow-changes.ts';
import { CaptchaGate } from '../redirect/gates/captcha.ts';
import { PasswordGate } from '../redirect/gates/password.ts';
import { RedirectHandler, type RedirectParts } from '../redirect/handler.ts';
import { Hosts } from '../redirect/hosts.ts';
import { type CacheBounds, LinkCache } from '../redirect/link-cache.ts';
import type { MissLimit } from '../redirect/miss-limit.ts';
import { StoreAway } from '../rules/errors.ts';
import type { Site } from '../rules/site.ts';
import { StartProblem } from '../start-problem.ts';
import { useChallenge } from '../storage/challenges.ts';
import { changesAfter, changesAmong, type LinkChange, newestChangeId } from '../storage/changes.ts';
import { findDomainForVisitor } from '../storage/domains.ts';
import { changedHost } from '../storage/host-changes.ts';
import { findLinkForVisitor } from '../storage/links.ts';
import type { Queries } from '../storage/schema.ts';
import type { Log } from '../telemetry/log.ts';
import type { Overrides } from './overrides.ts';

export function hostsOf(site: Site, lookup: Queries, now: () => number): Hosts {
  const load = async (host: string) => {
    const row = await findDomainForVisitor(lookup, host);
    return row ? { id: row.id, rootUrl: row.root_url, notFoundUrl: row.not_found_url } : null;
  };
  return new Hosts(site, load, now);
}

export const linksOf = (lookup: Queries, bounds: CacheBounds): LinkCache =>
  new LinkCache((domainId, suffix) => findLinkForVisitor(lookup, domainId, suffix), bounds);

export function changeFollower(
  lookup: Queries,
  now: () => number,
  links: LinkCache,
  hosts: Hosts,
  log: Log,
): ChangeFollower {
  const feed = {
    newest: () => newestChangeId(lookup),
    after: (id: number, most: number) => changesAfter(lookup, id, most),
    among: (ids: readonly number[]) => changesAmong(lookup, ids),
  };
  const follower = {
    changed: (change: LinkChange) => {
      const host = changedHost(change);
      if (host === null) links.forget(change.domain_id, change.suffix);
      else hosts.forget(host);
    },
    lost: () => {
      links.clear();
      hosts.clear();
    },
    failed: (cause: unknown) => log.warn('change feed away', { error: String(cause) }),
  };
  return new ChangeFollower(feed, follower, now);
}

/** Opened once now, so that whoever named the wrong file learns of it at the start and not from a map without countries. */
function countryFileOf({ countryFile }: Config): string | null {
  if (countryFile === null) return null;
  const path = resolve(countryFile);
  try {
    openCountryFile(path);
    return path;
  } catch (cause) {
    if (!(cause instanceof CountryFileError)) throw cause;
    throw new StartProblem(`COUNTRY_FILE can not be used. ${cause.message}`);
  }
}

export function recordingOf(
  config: Config,
  site: Site,
  now: () => number,
  { journalDisk = realDisk, hits }: Pick<Overrides, 'journalDisk' | 'hits'>,
  log: Log,
): Recording {
  return new Recording({
    settings: {
      dataDir: resolve(config.dataDir),
      databaseUrl: config.databaseUrl,
      origin: site.origin,
      daysKept: config.clickRetentionDays,
      countryFile: countryFileOf(config),
      webhookAddress: config.webhookAddress,
    },
    disk: journalDisk,
    now,
    startThread:
      hits === 'unfolded'
        ? null
        : () => new Worker(new URL('../fold-thread.ts', import.meta.url).href, { smol: true }),
    warn: (event, facts) => log.warn(event, facts),
    fault: (event, cause) => log.error(event, cause),
  });
}

export function redirectHandler(
  config: Config,
  context: Context,
  links: LinkCache,
  hosts: Hosts,
  misses: MissLimit,
  record: RedirectParts['record'],
  log: Log,
): RedirectHandler {
  const { secrets, now, database, site, limits, passwords } = context;
  return new RedirectHandler({
    links,
    now,
    record,
    believesProxies: believesProxies(config.trustedProxies),
    misses,
    networkOf,
    wayOut: (host, method, path) => hosts.wayOut(host, method, path),
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
