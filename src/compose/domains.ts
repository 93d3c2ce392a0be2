import type { Config } from '../config/options.ts';
import { Dns } from '../domains/dns.ts';
import { TargetFinder } from '../domains/target.ts';
import type { DomainMeans } from '../manage/domain-means.ts';
import type { Site } from '../rules/site.ts';

/** What custom domains are managed with; `changed` tells this node's cache of hosts. */
export function domainMeansOf(
  config: Config,
  site: Site,
  now: () => number,
  changed: (host: string) => void,
): DomainMeans {
  const dns = new Dns(config.dnsServers);
  const target = new TargetFinder(config.domainTarget ?? site.defaultHost, dns, now);
  const ownHosts = target.host === null ? [site.defaultHost] : [site.defaultHost, target.host];
  return { dns, target, ownHosts, changed, close: () => dns.close() };
}
