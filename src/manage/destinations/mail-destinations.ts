import { destinationMail, type FailingLink } from '../../mail/destination-mail.ts';
import { readProblems } from '../../rules/destinations/watched-destinations.ts';
import { hourLength, minuteLength } from '../../rules/durations.ts';
import { administratorsOf } from '../../storage/accounts/members.ts';
import {
  claimMail,
  linksToMail,
  organizationsToMail,
  setMailed,
  setMailedAt,
  urlsToMail,
} from '../../storage/destinations/watch-mails.ts';
import { findLink } from '../../storage/links/links.ts';
import { type MailResult, mailMembers } from '../accounts/mail-members.ts';
import type { Context } from '../context.ts';

/** Problems found within this time are reported together. */
const collectTime = 10 * minuteLength;
const interval = 6 * hourLength;
const retryAfter = 10 * minuteLength;
const organizationsPerRun = 50;
const maxListed = 20;

/** Mails administrators about problems of destinations: all in one mail, at most every six hours. Any node may run it. */
export async function mailDestinations(context: Context): Promise<void> {
  const { database, mailer, now } = context;
  if (mailer === null) return;
  const mailedBefore = now() - interval;
  const due = { before: now() - collectTime, mailedBefore };
  for (const id of await organizationsToMail(database.read, due, organizationsPerRun)) {
    const at = now();
    if (!(await database.write((queries) => claimMail(queries, id, at, mailedBefore)))) continue;
    const result = await mailOne(context, id, at);
    await database.write(async (queries) => {
      if (result !== 'not_sent') await setMailed(queries, id, at);
      else await setMailedAt(queries, id, at - interval + retryAfter);
      // Without a mail, the next one needn't wait.
      if (result === 'nothing') await setMailedAt(queries, id, at - interval);
    });
  }
}

/** `not_sent`: it has to be retried. `nothing`: the links have been corrected or deleted since. */
async function mailOne(
  context: Context,
  organizationId: number,
  until: number,
): Promise<MailResult | 'nothing'> {
  const { database } = context;
  const { ids, total } = await linksToMail(database.read, organizationId, until, maxListed);
  const found = await Promise.all(ids.map((id) => failingLink(context, organizationId, id, until)));
  const links = found.flatMap((link) => link ?? []);
  if (links.length === 0) return 'nothing';
  const administrators = await administratorsOf(database.read, organizationId);
  return mailMembers(context, organizationId, administrators, (facts) =>
    destinationMail({ ...facts, links, total }),
  );
}

async function failingLink(
  { database, site }: Context,
  organizationId: number,
  id: number,
  until: number,
): Promise<FailingLink | null> {
  const link = await findLink(database.read, organizationId, id);
  const urls = await urlsToMail(database.read, id, until);
  const problems = readProblems(link?.destination_problems ?? null).filter(({ url }) => urls.includes(url));
  if (!link || problems.length === 0) return null;
  return { title: link.name ?? site.readableUrl(link.host, link.suffix), problems };
}
