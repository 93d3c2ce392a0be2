import { actionMail, type OrganizationFacts } from './action-mail.ts';
import { dayOf, firstOf, oneLine, unlinked } from './mail-text.ts';
import type { Mail } from './mailer.ts';

export interface RefusedChange {
  /** The name of its link, otherwise its address. */
  readonly link: string;
  readonly at: number;
  /** Why it was refused. */
  readonly sentence: string;
}

interface RefusalFacts extends OrganizationFacts {
  /** False: the author has left, and an administrator gets the mail. */
  readonly isAuthor: boolean;
  /** The first of them. */
  readonly changes: readonly RefusedChange[];
  readonly total: number;
  /** The page that shows them. */
  readonly url: string;
}

const timeOf = (instant: number): string => `${new Date(instant).toISOString().slice(11, 16)} UTC`;

const lineOf = ({ link, at, sentence }: RefusedChange): string =>
  `${unlinked(oneLine(link))}, ${dayOf(at)}, ${timeOf(at)}: ${unlinked(sentence)}`;

export function refusalMail({ to, isAuthor, changes, total, url, origin, ...facts }: RefusalFacts): Mail {
  const organization = oneLine(facts.organization);
  const who = isAuthor ? 'you' : 'a former member';
  const many = total === 1 ? 'A change' : `${total.toLocaleString('en')} changes`;
  return actionMail({
    to,
    subject: total === 1 ? 'A scheduled change was not made' : `${total} scheduled changes were not made`,
    title: 'Scheduled changes',
    paragraphs: [
      `${many} that ${who} had scheduled could not be made at its time. The links are as they were before.`,
      ...firstOf(changes.map(lineOf), total),
    ],
    action: { label: 'See what was planned', url },
    closing: `You get this mail as ${isAuthor ? 'a member' : 'an administrator'} of ${organization} on ${new URL(origin).host}.`,
  });
}
