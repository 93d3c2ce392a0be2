import type { Caller } from '../../rules/access.ts';
import { certificateSentence, isCertificateProblem } from '../../rules/domains/certificate-problem.ts';
import { type DomainTarget, readFindings } from '../../rules/domains/domain-findings.ts';
import { domainProblem } from '../../rules/domains/domain-problem.ts';
import { type DnsRecord, recordsOf } from '../../rules/domains/domain-records.ts';
import { type DomainState, type DomainStatus, stateOf } from '../../rules/domains/domain-status.ts';
import { existing } from '../../rules/errors.ts';
import { certificatesOf } from '../../storage/certificates.ts';
import { type DomainRow, findDomain, listDomains, type StoredDomain } from '../../storage/domains.ts';
import type { Queries } from '../../storage/schema.ts';
import type { Context } from '../context.ts';
import { proofOf } from './domain-proof.ts';

/** A domain with everything that follows from its last findings. */
export interface DomainWithRecords {
  readonly domain: StoredDomain;
  readonly state: DomainState;
  readonly records: readonly DnsRecord[];
  readonly problem: string | null;
  /** Null while it isn't verified, and if this service gets no certificates itself. */
  readonly certificate: DomainCertificate | null;
}

export interface DomainCertificate {
  /** `none`: it is ordered when the first visitor comes. */
  readonly state: 'none' | 'ready' | 'failing';
  readonly validUntil: number | null;
  /** What is wrong, and what to do about it. */
  readonly problem: string | null;
}

export async function readDomain(
  context: Context,
  caller: Caller,
  id: number,
  queries: Queries = context.database.read,
): Promise<DomainWithRecords> {
  const domain = await existing(findDomain(queries, caller.organizationId, id), 'domain');
  const certificates = await certificatesFor(context, [domain], queries);
  return withRecords(context, domain, await context.domains.target.find(), certificates);
}

export async function readDomains(context: Context, caller: Caller): Promise<readonly DomainWithRecords[]> {
  const domains = await listDomains(context.database.read, caller.organizationId);
  if (domains.length === 0) return [];
  const target = await context.domains.target.find();
  const certificates = await certificatesFor(context, domains, context.database.read);
  return domains.map((domain) => withRecords(context, domain, target, certificates));
}

type Certificates = ReadonlyMap<string, DomainCertificate> | null;

async function certificatesFor(
  { domains, now }: Context,
  storedDomains: readonly StoredDomain[],
  queries: Queries,
): Promise<Certificates> {
  if (!domains.getsCertificates) return null;
  const hosts = storedDomains.filter(({ verified_at }) => verified_at !== null).map(({ host }) => host);
  const rows = await certificatesOf(queries, hosts);
  const found = new Map<string, DomainCertificate>(
    hosts.map((host) => [host, { state: 'none', validUntil: null, problem: null }]),
  );
  for (const { host, not_after, problem, problem_detail } of rows) {
    const isReady = not_after !== null && not_after > now();
    const known = problem !== null && isCertificateProblem(problem) ? problem : null;
    const authorityDetail = problem_detail === null ? '' : ` (The authority: ${problem_detail})`;
    found.set(host, {
      state: known !== null ? 'failing' : isReady ? 'ready' : 'none',
      validUntil: isReady ? not_after : null,
      problem: known === null ? null : certificateSentence(known, host) + authorityDetail,
    });
  }
  return found;
}

function withRecords(
  context: Context,
  domain: StoredDomain,
  target: DomainTarget,
  certificates: Certificates,
): DomainWithRecords {
  const findings = readFindings(domain.seen);
  const records = recordsOf(domain.host, proofOf(context, domain), target, findings);
  const status = statusOf(domain);
  const isTaken = domain.is_taken === 1;
  const problem = domainProblem({ host: domain.host, records, findings, target, isTaken, ...status });
  const certificate = certificates?.get(domain.host) ?? null;
  return { domain, state: stateOf(status), records, problem, certificate };
}

export const statusOf = (domain: DomainRow): DomainStatus => ({
  verifiedAt: domain.verified_at,
  goneSince: domain.gone_since,
  releasedAt: domain.released_at,
  checkedAt: domain.checked_at,
});
