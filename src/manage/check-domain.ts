import { type DomainFindings, withoutInsides, writeFindings } from '../rules/domain-findings.ts';
import { hasProof } from '../rules/domain-records.ts';
import { afterCheck, nextCheck, type Standing, type Verdict } from '../rules/domain-standing.ts';
import { NotUnique } from '../storage/database.ts';
import { type DomainRow, lockDomain, updateDomain } from '../storage/domains.ts';
import { recordHostChange } from '../storage/host-changes.ts';
import type { Context } from './context.ts';
import { proofOf } from './domain-proof.ts';

/** `gone`: the domain was deleted meanwhile. `taken`: its proof is right, but another organization was first. */
export type CheckResult = 'noted' | 'gone' | 'taken';

/** Looks a domain up in the DNS and keeps what was seen, and what follows from it. */
export async function checkDomain(context: Context, domain: DomainRow): Promise<CheckResult> {
  const { dns, target } = context.domains;
  const [seen, { addresses }] = await Promise.all([dns.findingsFor(domain.host), target.find()]);
  const findings = withoutInsides(seen, addresses);
  try {
    const result = await note(context, domain, findings, 'may_verify');
    if (result === 'noted') context.domains.changed(domain.host);
    return result;
  } catch (cause) {
    if (!(cause instanceof NotUnique)) throw cause;
    const result = await note(context, domain, findings, 'may_not_verify');
    return result === 'gone' ? 'gone' : 'taken';
  }
}

/** Asked anew within the transaction: the domain may have been changed while the DNS was slow. */
function note(
  context: Context,
  { id, organization_id }: DomainRow,
  findings: DomainFindings,
  verifying: 'may_verify' | 'may_not_verify',
): Promise<CheckResult> {
  return context.database.write(async (queries) => {
    const domain = await lockDomain(queries, organization_id, id);
    if (!domain) return 'gone';
    const now = context.now();
    const before = standingOf(domain);
    const verdict = verdictOf(findings, proofOf(context, domain));
    const after =
      verifying === 'may_verify' ? afterCheck(before, verdict, now) : { ...before, checkedAt: now };
    await updateDomain(queries, organization_id, id, {
      verified_at: after.verifiedAt,
      gone_since: after.goneSince,
      released_at: after.releasedAt,
      checked_at: after.checkedAt,
      next_check_at: nextCheck(after, verdict, domain.created_at, now, chance(context)),
      seen: writeFindings(findings),
    });
    if ((before.verifiedAt === null) !== (after.verifiedAt === null)) {
      await recordHostChange(queries, domain.host, now);
    }
    return 'noted';
  });
}

const standingOf = (domain: DomainRow): Standing => ({
  verifiedAt: domain.verified_at,
  goneSince: domain.gone_since,
  releasedAt: domain.released_at,
  checkedAt: domain.checked_at,
});

const verdictOf = ({ proof }: DomainFindings, expected: string): Verdict =>
  proof.kind === 'unknown' ? 'unknown' : hasProof(proof, expected) ? 'present' : 'gone';

function chance({ randomBytes }: Context): number {
  const [high = 0, low = 0] = randomBytes(2);
  return (high * 256 + low) / 0x1_0000;
}
