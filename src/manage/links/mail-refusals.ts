import { type RefusedChange, refusalMail } from '../../mail/refusal-mail.ts';
import { dayLength, minuteLength } from '../../rules/durations.ts';
import type { Problem } from '../../rules/errors.ts';
import { administratorsOf, mailableMember } from '../../storage/accounts/members.ts';
import { findLink } from '../../storage/links/links.ts';
import { claimRefusals, type ScheduledRow, setUntold } from '../../storage/links/scheduled-changes.ts';
import { mailMembers } from '../accounts/mail-members.ts';
import type { Context } from '../context.ts';

/** Refusals within this time are reported together. */
const collectTime = 5_000;
/** Longer than a mail takes: after that, a node is assumed to have crashed. */
const claimLength = 10 * minuteLength;
/** After that it isn't mailed any more; it is still in the list and in the history. */
const mailedWithin = 3 * dayLength;
const perRun = 500;
const maxListed = 20;

/** Mails refused changes to the member who planned them, or to administrators if that member has left. Any node may run it. */
export async function mailRefusals(context: Context): Promise<void> {
  const { database, mailer, now } = context;
  if (mailer === null) return;
  const at = now();
  const claim = { before: at - collectTime, until: at + claimLength };
  const claimed = await database.write((queries) => claimRefusals(queries, claim, perRun));
  const byAuthor = Map.groupBy(claimed, ({ organization_id, user_id }) => `${organization_id} ${user_id}`);
  for (const changes of byAuthor.values()) {
    const ids = changes.map(({ id }) => id);
    const isOld = changes.every(({ done_at }) => (done_at ?? 0) < at - mailedWithin);
    const isNotified = isOld || (await mailOne(context, changes));
    await database.write((queries) => setUntold(queries, ids, isNotified ? null : now() + claimLength));
  }
}

/** False if it has to be retried. */
async function mailOne(context: Context, changes: readonly ScheduledRow[]): Promise<boolean> {
  const { database, site } = context;
  const [first] = changes;
  if (!first) return true;
  const { organization_id: id, user_id, link_id } = first;
  const author = await mailableMember(database.read, id, user_id);
  const members = author ? [author] : await administratorsOf(database.read, id);
  const ofOneLink = changes.every((change) => change.link_id === link_id);
  const linkExists = ofOneLink && (await findLink(database.read, id, link_id)) !== undefined;
  const refusals = {
    isAuthor: author !== undefined,
    changes: await Promise.all(changes.slice(0, maxListed).map((change) => describeChange(context, change))),
    total: changes.length,
    url: `${site.origin}/app${linkExists ? `/links/${link_id}/scheduled` : ''}`,
  };
  const result = await mailMembers(context, id, members, (facts) => refusalMail({ ...facts, ...refusals }));
  return result !== 'not_sent';
}

async function describeChange({ database, site }: Context, change: ScheduledRow): Promise<RefusedChange> {
  const link = await findLink(database.read, change.organization_id, change.link_id);
  const problem = JSON.parse(change.refusal ?? '{}') as Partial<Problem>;
  return {
    link: link ? (link.name ?? site.readableUrl(link.host, link.suffix)) : 'A link that was deleted',
    at: change.at,
    sentence: problem.sentence ?? '',
  };
}
