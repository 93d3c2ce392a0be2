import { isIP } from 'node:net';
import { hiddenDomainFound, hiddenDomainTodo } from '../rules/domains/hidden-domain.ts';
import { isAmong } from '../rules/domains/same-address.ts';
import { type Finding, notice, ok, problem } from '../rules/finding.ts';
import { addressSetting, type CheckContext, type Findings } from './check-context.ts';
import { isVerifiedDomain, verifiedDomains } from './verified-domains.ts';

const atOnce = 10;

/** Checks the host of the service, and that each verified domain leads where it should. */
export async function dnsFindings(context: CheckContext): Promise<Findings> {
  const host = context.site.defaultHost;
  const found = await findingsOfNames(context);
  if (!(await isVerifiedDomain(context.store, host))) return found;
  return [found, problem(hiddenDomainFound(host), hiddenDomainTodo)].flat();
}

async function findingsOfNames(context: CheckContext): Promise<Findings> {
  const { site, dns, config } = context;
  const host = site.defaultHost;
  const bare = host.replace(/^\[|\]$/g, '');
  if (site.isTrial) return ok(`${host} is this machine: no name server is needed.`);
  if (isIP(bare) !== 0) return ok(`${bare} is an address: no name server is needed.`);
  const addresses = await dns.addressesOf(host);
  if (addresses === null)
    return notice(`The name servers did not answer for ${host}.`, 'Check DNS_SERVERS, or /etc/resolv.conf.');
  if (addresses.length === 0)
    return problem(
      `${host} has no address in the DNS.`,
      `Set an A record (and AAAA) of ${host} to the address of this machine, or correct ${addressSetting(context)}.`,
    );
  const own = ok(`${host} leads to ${addresses.join(', ')}.`);
  const expected = await targetsOf(config.domainTarget, addresses, dns);
  return [own, ...(await domainFindings(await verifiedDomains(context.store), expected, dns))];
}

async function targetsOf(
  target: CheckContext['config']['domainTarget'],
  own: readonly string[],
  dns: CheckContext['dns'],
): Promise<readonly string[]> {
  if (target === null) return own;
  return typeof target === 'string' ? ((await dns.addressesOf(target)) ?? []) : target;
}

async function domainFindings(
  domains: readonly string[],
  expected: readonly string[],
  dns: CheckContext['dns'],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let good = 0;
  for (let from = 0; from < domains.length; from += atOnce) {
    const some = domains.slice(from, from + atOnce);
    const found = await Promise.all(some.map((domain) => dns.addressesOf(domain)));
    for (const [index, domain] of some.entries()) {
      const addresses = found[index] ?? null;
      if (addresses?.some((address) => isAmong(address, expected))) good += 1;
      else findings.push(wrongAddressFinding(domain, addresses, expected));
    }
  }
  if (good > 0) findings.push(ok(`${good} verified ${good === 1 ? 'domain leads' : 'domains lead'} here.`));
  return findings;
}

function wrongAddressFinding(
  domain: string,
  addresses: readonly string[] | null,
  expected: readonly string[],
): Finding {
  if (addresses === null)
    return notice(
      `The name servers did not answer for ${domain}.`,
      'Try again; then ask the name servers of that domain.',
    );
  const leads = addresses.length === 0 ? 'has no address' : `leads to ${addresses.join(', ')}`;
  return notice(
    `${domain} ${leads}.`,
    `Its links are reached when it leads to ${expected.join(' or ')}, or to a proxy that passes them on. Set it where the domain's DNS is.`,
  );
}
