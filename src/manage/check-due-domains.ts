import { claimDueDomains, type DomainRow, hasDueDomains } from '../storage/domains.ts';
import { type CheckResult, checkDomain } from './check-domain.ts';
import type { Context } from './context.ts';
import { clearAway } from './delete-domain.ts';

const atOnce = 40;
/** By then a look is long over, or its node has died. */
const claimLength = 60_000;
/** How long the links of one deleted domain are cleared away before others have their turn. */
const turn = 3_000;

/** Looks up the domains whose time has come. Any node may do it at any time: each is taken by one. */
export async function checkDueDomains(context: Context): Promise<void> {
  const { database, now } = context;
  while (await hasDueDomains(database.read, now())) {
    const claim = { now: now(), until: now() + claimLength, max: atOnce };
    const taken = await database.write((queries) => claimDueDomains(queries, claim));
    // Another node is at the rest.
    if (taken.length === 0) return;
    const visits = await Promise.allSettled(taken.map((domain) => visit(context, domain)));
    // A failed check is due again when its claim ends; it doesn't delay the others.
    const failed = visits.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    if (visits.some((outcome) => outcome.status === 'fulfilled' && outcome.value === 'left')) return;
  }
}

const visit = (context: Context, domain: DomainRow): Promise<CheckResult | undefined> =>
  domain.deleted_at === null
    ? checkDomain(context, domain)
    : clearAway(context, domain, turn).then(() => undefined);
