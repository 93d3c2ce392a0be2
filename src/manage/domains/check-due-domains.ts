import { claimDueDomains, type DomainRow, hasDueDomains } from '../../storage/domains.ts';
import { settleAll } from '../../storage/settle-all.ts';
import type { Context } from '../context.ts';
import { type CheckResult, checkDomain } from './check-domain.ts';
import { clearAway } from './delete-domain.ts';

const atOnce = 40;
/** By then a check has long ended, or its node has crashed. */
const claimLength = 60_000;
/** How long the links of one deleted domain are cleared away before other domains are checked. */
const timeSlice = 3_000;

/** Checks the domains that are due. Any node may do it at any time: each domain is claimed by one. */
export async function checkDueDomains(context: Context): Promise<void> {
  const { database, now } = context;
  while (await hasDueDomains(database.lookup, now())) {
    const claim = { now: now(), until: now() + claimLength, max: atOnce };
    const claimed = await database.write((queries) => claimDueDomains(queries, claim));
    // Another node has claimed the rest.
    if (claimed.length === 0) return;
    // A failed check is due again when its claim expires; it doesn't delay the others.
    const outcomes = await settleAll(...claimed.map((domain) => checkOrClear(context, domain)));
    if (outcomes.includes('left')) return;
  }
}

const checkOrClear = (context: Context, domain: DomainRow): Promise<CheckResult | undefined> =>
  domain.deleted_at === null
    ? checkDomain(context, domain)
    : clearAway(context, domain, timeSlice).then(() => undefined);
