import type { Config } from '../config/options.ts';
import { Dns } from '../domains/dns.ts';
import { TargetFinder } from '../domains/target.ts';
import type { DomainContext } from '../manage/domains/domain-context.ts';
import type { DomainState } from '../rules/domains/domain-status.ts';
import { hiddenDomainTodo } from '../rules/domains/hidden-domain.ts';
import type { Site } from '../rules/site.ts';
import { findVerifiedDomain } from '../storage/domains.ts';
import type { Queries } from '../storage/schema.ts';
import type { Log } from '../telemetry/log.ts';

/** The context for managing custom domains. `changed` notifies this node's cache of hosts. */
export function domainContextOf(
  config: Config,
  site: Site,
  now: () => number,
  changed: (host: string) => void,
  log?: Log,
): DomainContext {
  const dns = new Dns(config.dnsServers);
  // Visitors can't reach a loopback address: until the service has a public address, domains lead nowhere.
  const leadHere = config.domainTarget !== null || !site.isTrial;
  const target = new TargetFinder(config.domainTarget ?? (leadHere ? site.defaultHost : []), dns, now);
  const ownHosts = target.host === null ? [site.defaultHost] : [site.defaultHost, target.host];
  const report = (host: string, before: DomainState, after: DomainState) => {
    if (after === 'verified') log?.info('domain verified', { host });
    else log?.warn(before === 'failing' ? 'domain given up' : 'domain proof gone', { host });
  };
  const getsCertificates = config.https === 'auto';
  return {
    dns,
    hasPublicAddress: leadHere,
    target,
    getsCertificates,
    ownHosts,
    changed,
    report,
    close: () => dns.close(),
  };
}

/** Warns if a custom domain has the host of the service, which hides its links. The start continues: all other links are found. */
export async function warnOfHiddenDomain({ defaultHost }: Site, lookup: Queries, log: Log): Promise<void> {
  const domain = await findVerifiedDomain(lookup, defaultHost);
  if (domain !== undefined)
    log.warn('custom domain not reached', { host: defaultHost, to_do: hiddenDomainTodo });
}
