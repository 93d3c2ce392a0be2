import { actionMail, type OrganizationFacts } from './action-mail.ts';
import { dayOf, oneLine, unlinked } from './mail-text.ts';
import type { Mail } from './mailer.ts';

interface OutageFacts extends OrganizationFacts {
  /** The webhook's address. The mail names only its host, because addresses of webhooks often contain a secret. */
  readonly target: string;
  readonly since: number;
  /** For how many days messages are kept. */
  readonly keptDays: number;
}

const retentionSentence = (days: number): string =>
  days > 3
    ? `What failed by then is kept for ${days} days`
    : `Messages about clicks are kept for ${days === 1 ? 'a day' : `${days} days`}`;

export function outageMail({ to, target, since, keptDays, origin, ...facts }: OutageFacts): Mail {
  const organization = oneLine(facts.organization);
  const host = new URL(target).host;
  return actionMail({
    to,
    subject: `Webhooks to ${host} have failed for a day`,
    title: 'Failing webhooks',
    paragraphs: [
      `No webhook of ${unlinked(organization)} has reached ${unlinked(host)} since ${dayOf(since)}.`,
      `Each message is tried again for three days. ${retentionSentence(keptDays)}, and you can have all of it sent again with one click.`,
    ],
    action: { label: 'See what fails', url: `${origin}/app/organization` },
    closing: `You get this mail once for each outage, as an administrator of ${organization} on ${new URL(origin).host}.`,
  });
}
