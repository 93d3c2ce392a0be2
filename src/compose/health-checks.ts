import { resolve } from 'node:path';
import { sql } from 'kysely';
import type { ReadOnlyStore } from '../backup/read-only-store.ts';
import { Dns } from '../domains/dns.ts';
import { runChecks } from '../health/run-checks.ts';
import type { Mailer } from '../mail/mailer.ts';
import { type CheckFinding, usableSettings } from '../rules/finding.ts';
import type { Site } from '../rules/site.ts';
import type { Database } from '../storage/database.ts';
import type { Store } from '../store.ts';
import type { Start } from './start.ts';

/** How long a result is reused: name servers and the mail server are not contacted again for each request. */
const lifetime = 10_000;

/** The checks of `linnet doctor`, run by the server. */
export function healthChecksOf(
  { config, now, opened }: Pick<Start, 'config' | 'now' | 'opened'>,
  site: Site,
  { database, secrets }: Store,
  mailer: Mailer | null,
): () => Promise<readonly CheckFinding[]> {
  const dns = new Dns(config.dnsServers);
  opened.defer(() => dns.close());
  const check = async () => {
    const findings = await runChecks({
      ...{ config, site, secrets, dns, mailer, dataDir: resolve(config.dataDir), now: now() },
      store: storeForChecks(database),
      storeProblem: null,
      keyProblem: null,
    });
    return [usableSettings, ...findings];
  };
  let last: { readonly until: number; readonly findings: Promise<readonly CheckFinding[]> } | null = null;
  return () => {
    if (last === null || performance.now() > last.until)
      last = { until: performance.now() + lifetime, findings: check() };
    return last.findings;
  };
}

const storeForChecks = ({ kind, read }: Database): ReadOnlyStore => ({
  kind,
  query: async (text) => (await sql.raw<Record<string, unknown>>(text).execute(read)).rows,
});
