import { outageMail } from '../mail/outage-mail.ts';
import type { Caller } from '../rules/access.ts';
import { administratorsOf } from '../storage/members.ts';
import { findOrganization } from '../storage/organizations.ts';
import { claimUntold, listOutages, type StoredOutage, setTold, unclaim } from '../storage/webhook-outages.ts';
import type { Context } from './context.ts';
import { mailWithinLimits } from './mail-limit.ts';

const hour = 60 * 60 * 1000;
/** A target that fails for so long is told of. */
const toldAfter = 24 * hour;
/** Deliveries are tried at least every twelve hours: a target without a failure for longer isn't used any more. */
export const outageKept = 15 * hour;
const perRun = 50;
/** Longer than the mail server may take for all mails of a run. */
const claimLength = hour;
const maxListed = 100;

export const readOutages = (
  { database, now }: Context,
  { organizationId }: Caller,
): Promise<StoredOutage[]> => listOutages(database.read, organizationId, now() - outageKept, maxListed);

/**
 * Mails the administrators of organizations whose webhook targets fail for a day: once an outage, and again only if a node dies
 * before it could note that they were told. Any node may run it.
 */
export async function tellOutages(context: Context): Promise<void> {
  const { database, mailer, now } = context;
  if (mailer === null) return;
  const going = { since: now() - toldAfter, lastFailedAfter: now() - outageKept };
  const claim = { now: now(), until: now() + claimLength };
  const untold = await database.write((queries) => claimUntold(queries, going, claim, perRun));
  const faults: unknown[] = [];
  for (const outage of untold) {
    const isTold = await mailAdministrators(context, mailer, outage).catch((cause) => {
      faults.push(cause);
      return false;
    });
    await database.write((queries) => (isTold ? setTold(queries, outage, now()) : unclaim(queries, outage)));
  }
  if (faults.length > 0) throw faults[0];
}

/** Whether it needs no further try. */
async function mailAdministrators(
  context: Context,
  mailer: NonNullable<Context['mailer']>,
  { organization_id, target_url, since }: StoredOutage,
): Promise<boolean> {
  const { database, site, config } = context;
  const organization = await findOrganization(database.lookup, organization_id);
  const administrators = await administratorsOf(database.read, organization_id);
  // Where registration is open, an address that wasn't proved may be a stranger's.
  const told = administrators.filter(
    ({ email_proven }) => email_proven === 1 || config.registration === 'closed',
  );
  if (!organization || told.length === 0) return true;
  const facts = { organization: organization.name, target: target_url, since, origin: site.origin };
  const sent = await Promise.all(
    told.map(({ email }) =>
      mailWithinLimits(context, mailer, organization_id, outageMail({ ...facts, to: email })),
    ),
  );
  return sent.includes(true);
}
