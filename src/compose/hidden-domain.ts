import { hiddenDomainTodo } from '../rules/domains/hidden-domain.ts';
import type { Site } from '../rules/site.ts';
import { findVerifiedDomain } from '../storage/domains.ts';
import type { Queries } from '../storage/schema.ts';
import type { Log } from '../telemetry/log.ts';

/** Warns if a custom domain has the host of the service, which hides its links. The start continues: all other links are found. */
export async function warnOfHiddenDomain({ defaultHost }: Site, lookup: Queries, log: Log): Promise<void> {
  const domain = await findVerifiedDomain(lookup, defaultHost);
  if (domain !== undefined)
    log.warn('custom domain not reached', { host: defaultHost, to_do: hiddenDomainTodo });
}
