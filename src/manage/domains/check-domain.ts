import {
  type DomainFindings,
  maskPrivateAddresses,
  writeFindings,
} from '../../rules/domains/domain-findings.ts';
import { hasProof } from '../../rules/domains/domain-records.ts';
import {
  afterCheck,
  type DomainStatus,
  nextCheck,
  stateOf,
  type Verdict,
} from '../../rules/domains/domain-status.ts';
import { NotUnique } from '../../storage/database.ts';
import { type DomainRow, lockDomain, updateDomain } from '../../storage/domains.ts';
import { recordHostChange } from '../../storage/marked-changes.ts';
import type { Context } from '../context.ts';
import { proofOf } from './domain-proof.ts';
import { statusOf } from './read-domains.ts';

/**
 * `gone`: the domain was deleted meanwhile. `taken`: its proof is valid, but another organization was first. `left`: the
 * program is stopping; another node, or the next start, checks instead.
 */
export type CheckResult = 'noted' | 'gone' | 'taken' | 'left';

/** Looks a domain up in the DNS, and stores the findings with their consequences. */
export async function checkDomain(context: Context, domain: DomainRow): Promise<CheckResult> {
  const { dns, target } = context.domains;
  const [found, { addresses }] = await Promise.all([dns.findingsFor(domain.host), target.find()]);
  if (found === null) return 'left';
  const findings = maskPrivateAddresses(found, addresses);
  try {
    return (await storeFindings(context, domain, findings, 'may_verify')) ? 'noted' : 'gone';
  } catch (cause) {
    if (!(cause instanceof NotUnique)) throw cause;
    return (await storeFindings(context, domain, findings, 'may_not_verify')) ? 'taken' : 'gone';
  }
}

/** False if the domain was deleted meanwhile. */
async function storeFindings(
  context: Context,
  { id, organization_id, host, checked_at }: DomainRow,
  findings: DomainFindings,
  verifying: 'may_verify' | 'may_not_verify',
): Promise<boolean> {
  const stored = await context.database.write(async (queries) => {
    // Read again: the domain may have been changed while the DNS was slow.
    const domain = await lockDomain(queries, organization_id, id);
    if (!domain) return null;
    const now = context.now();
    const before = statusOf(domain);
    const verdict = verdictOf(findings, proofOf(context, domain));
    // Another check was stored while this one ran. It may have found more: a proof that it found is kept.
    if (domain.checked_at !== checked_at && verdict !== 'present') return { before, after: before };
    const after =
      verifying === 'may_verify' ? afterCheck(before, verdict, now) : { ...before, checkedAt: now };
    await updateDomain(queries, organization_id, id, {
      verified_at: after.verifiedAt,
      gone_since: after.goneSince,
      released_at: after.releasedAt,
      checked_at: after.checkedAt,
      next_check_at: nextCheck(after, verdict, domain.created_at, now, randomFraction(context)),
      seen: writeFindings(findings),
    });
    if (servesLinks(before) !== servesLinks(after)) await recordHostChange(queries, host, now);
    return { before, after };
  });
  if (stored === null) return false;
  const { before, after } = stored;
  if (servesLinks(before) !== servesLinks(after)) context.domains.changed(host);
  if (stateOf(before) !== stateOf(after)) context.domains.report(host, stateOf(before), stateOf(after));
  return true;
}

/** Whether visitors of the domain find its links. */
const servesLinks = ({ verifiedAt }: DomainStatus): boolean => verifiedAt !== null;

const verdictOf = ({ proof }: DomainFindings, expected: string): Verdict =>
  proof.kind === 'unknown' ? 'unknown' : hasProof(proof, expected) ? 'present' : 'gone';

function randomFraction({ randomBytes }: Context): number {
  const [high = 0, low = 0] = randomBytes(2);
  return (high * 256 + low) / 0x1_0000;
}
