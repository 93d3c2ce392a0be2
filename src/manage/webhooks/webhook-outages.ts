import { outageMail } from '../../mail/outage-mail.ts';
import type { Caller } from '../../rules/access.ts';
import { dayLength, hourLength } from '../../rules/durations.ts';
import { administratorsOf } from '../../storage/accounts/members.ts';
import {
  claimUnmailedOutages,
  listOutages,
  type StoredOutage,
  updateOutage,
} from '../../storage/webhooks/webhook-outages.ts';
import { type MailResult, mailMembers } from '../accounts/mail-members.ts';
import type { Context } from '../context.ts';
import { countFailedDeliveries, deliveryDays } from './webhook-deliveries.ts';

/** A target that has failed for this long is reported. */
const mailedAfter = dayLength;
/** Deliveries are retried at least once a day, by `Retry-After`: a target without a failure for longer isn't used any more. */
export const outageKept = 25 * hourLength;
/** Less than `mailedAfter`: a target that has failed once, and isn't tried again, is not reported. */
const mailedWithin = 15 * hourLength;
const perRun = 50;
/** Longer than the mail server may take for all mails of a run. */
const claimLength = hourLength;
/** An administrator may have verified an address by then; until then it doesn't keep other outages from being reported. */
const claimWithoutRecipient = dayLength;
const maxListed = 100;

interface OutagesFound {
  readonly outages: readonly StoredOutage[];
  /** Messages that failed permanently, whether their targets still fail or not. */
  readonly failed: number;
}

export async function readOutages(context: Context, caller: Caller): Promise<OutagesFound> {
  const { database, now } = context;
  const [outages, failed] = await Promise.all([
    listOutages(database.read, caller.organizationId, now() - outageKept, maxListed),
    countFailedDeliveries(context, caller),
  ]);
  return { outages, failed };
}

/**
 * Mails the administrators of organizations whose webhook targets have failed for a day: once per outage, and again only if a
 * node crashes before it could record that. Any node may run it.
 */
export async function mailOutages(context: Context): Promise<void> {
  const { database, mailer, now } = context;
  if (mailer === null) return;
  const ongoing = { since: now() - mailedAfter, lastFailedAfter: now() - mailedWithin };
  const claim = { now: now(), until: now() + claimLength };
  const untold = await database.write((queries) => claimUnmailedOutages(queries, ongoing, claim, perRun));
  const faults: unknown[] = [];
  for (const outage of untold) {
    const done = await mailAdministrators(context, outage).catch((cause): MailResult => {
      faults.push(cause);
      return 'not_sent';
    });
    const retryAt = done === 'no_recipient' ? now() + claimWithoutRecipient : null;
    await database.write((queries) =>
      updateOutage(queries, outage, done === 'sent' ? { told_at: now() } : { claimed_until: retryAt }),
    );
  }
  if (faults.length > 0) throw faults[0];
}

async function mailAdministrators(
  context: Context,
  { organization_id, target_url, since }: StoredOutage,
): Promise<MailResult> {
  const administrators = await administratorsOf(context.database.read, organization_id);
  const keptDays = Math.min(deliveryDays, context.config.clickRetentionDays);
  return mailMembers(context, organization_id, administrators, (facts) =>
    outageMail({ ...facts, target: target_url, since, keptDays }),
  );
}
