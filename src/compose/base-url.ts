import { isIP } from 'node:net';
import type { Config } from '../config/options.ts';
import { findBaseUrl } from '../manage/base-url.ts';
import { isLoopbackName } from '../rules/host.ts';
import { Site } from '../rules/site.ts';
import { hasUsers } from '../storage/accounts/users.ts';
import type { Database } from '../storage/database.ts';
import { repeatJob } from './repeat-job.ts';
import type { Start } from './start.ts';

const checkInterval = 500;

/** The address of this service: from BASE_URL, otherwise from the store, otherwise this machine only. */
export async function siteOf(config: Config, database: Database, port: number): Promise<Site> {
  const stored = config.baseUrl === null ? await findBaseUrl(database) : null;
  return new Site(config.baseUrl ?? new URL(stored ?? localUrl(config.host, port)));
}

/** This machine's own address. Nothing listens on 127.0.0.1 if `HOST` is another loopback address, such as ::1. */
export function localUrl(host: string, port: number): string {
  const address = isIP(host) > 0 && isLoopbackName(host) ? host : '127.0.0.1';
  return `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
}

/**
 * Resolves when the first account has set another address than the one in use, on this node or another: everything that depends
 * on the address must be rebuilt. Polls until there is an account.
 */
export function whenBaseUrlChanges({ config, opened }: Start, database: Database, site: Site): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (config.baseUrl !== null) return promise;
  const check = async () => {
    // In this order, because both are stored in one transaction.
    const hasAccount = await hasUsers(database.lookup);
    const stored = await findBaseUrl(database);
    if (stored !== null && stored !== site.origin) resolve();
    if (hasAccount) void job.stop();
  };
  const job = repeatJob(check, checkInterval, () => {});
  opened.defer(() => job.stop());
  return promise;
}
