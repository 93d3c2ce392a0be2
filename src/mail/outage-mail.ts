import { actionMail } from './action-mail.ts';
import { dayOf, oneLine, unlinked } from './mail-text.ts';
import type { Mail } from './mailer.ts';

export interface OutageFacts {
  readonly to: string;
  readonly organization: string;
  /** The webhook's address. The mail names its host alone, as addresses of webhooks often hold a secret. */
  readonly target: string;
  readonly since: number;
  /** The address of this service. */
  readonly origin: string;
}

export function outageMail({ to, target, since, origin, ...facts }: OutageFacts): Mail {
  const organization = oneLine(facts.organization);
  const host = new URL(target).host;
  return actionMail({
    to,
    subject: `Webhooks to ${host} have failed for a day`,
    title: 'Failing webhooks',
    paragraphs: [
      `No webhook of ${unlinked(organization)} has reached ${unlinked(host)} since ${dayOf(since)}.`,
      'Each message is tried again for three days. What failed by then is kept for 30 days, and you can have all of it sent again with one click.',
    ],
    action: { label: 'See what fails', url: `${origin}/app/organization` },
    closing: `You get this mail once an outage, as an administrator of ${organization} on ${new URL(origin).host}.`,
  });
}
