import type { Caller } from '../rules/access.ts';
import { type DomainTarget, readFindings } from '../rules/domain-findings.ts';
import { domainProblem } from '../rules/domain-problem.ts';
import { type DnsRecord, recordsOf } from '../rules/domain-records.ts';
import { type DomainState, stateOf } from '../rules/domain-standing.ts';
import { notFound } from '../rules/errors.ts';
import { findDomain, listDomains, type StoredDomain } from '../storage/domains.ts';
import type { Queries } from '../storage/schema.ts';
import type { Context } from './context.ts';
import { proofOf } from './domain-proof.ts';

/** A domain with everything that follows from what was last seen of it. */
export interface DomainWithRecords {
  readonly domain: StoredDomain;
  readonly state: DomainState;
  readonly records: readonly DnsRecord[];
  readonly problem: string | null;
}

export async function readDomain(
  context: Context,
  caller: Caller,
  id: number,
  queries: Queries = context.database.read,
): Promise<DomainWithRecords> {
  const domain = await findDomain(queries, caller.organizationId, id);
  if (!domain) throw notFound('domain');
  return withRecords(context, domain, await context.domains.target.find());
}

export async function readDomains(context: Context, caller: Caller): Promise<readonly DomainWithRecords[]> {
  const domains = await listDomains(context.database.read, caller.organizationId);
  if (domains.length === 0) return [];
  const target = await context.domains.target.find();
  return domains.map((domain) => withRecords(context, domain, target));
}

function withRecords(context: Context, domain: StoredDomain, target: DomainTarget): DomainWithRecords {
  const findings = readFindings(domain.seen);
  const records = recordsOf(domain.host, proofOf(context, domain), target, findings);
  const standing = { verifiedAt: domain.verified_at, goneSince: domain.gone_since };
  const problem = domainProblem({
    host: domain.host,
    records,
    findings,
    target,
    isVerified: domain.verified_at !== null,
    checkedAt: domain.checked_at,
    goneSince: domain.gone_since,
    releasedAt: domain.released_at,
    isTaken: domain.is_taken === 1,
  });
  return { domain, state: stateOf(standing), records, problem };
}
