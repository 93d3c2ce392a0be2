import type { ProblemKind } from '../rules/destinations/watched-destinations.ts';
import { actionMail, type OrganizationFacts } from './action-mail.ts';
import { firstOf, oneLine, unlinked } from './mail-text.ts';
import type { Mail } from './mailer.ts';

export interface FailingLink {
  /** Its name, otherwise its address. */
  readonly title: string;
  /** At least one. */
  readonly problems: readonly { readonly url: string; readonly problem: ProblemKind }[];
}

interface DestinationFacts extends OrganizationFacts {
  /** The first of them. */
  readonly links: readonly FailingLink[];
  readonly total: number;
}

const problemTexts: Readonly<Record<ProblemKind, string>> = {
  broken: 'does not answer, or with an error',
  certificate: 'has a certificate that browsers do not accept',
  moved: 'has moved for good',
  parked: 'shows the page of a company that parks or sells domains',
};

export function destinationMail({ to, links, total, origin, ...facts }: DestinationFacts): Mail {
  const organization = oneLine(facts.organization);
  const count = total.toLocaleString('en');
  const many = total === 1 ? 'A link of yours leads' : `${count} links of yours lead`;
  return actionMail({
    to,
    subject:
      total === 1 ? 'A link leads to a failing destination' : `${count} links lead to failing destinations`,
    title: 'Failing destinations',
    paragraphs: [
      `${many} to a destination that was looked at twice, and that visitors may not get what they expect from.`,
      ...firstOf(links.map(lineOf), total),
    ],
    action: { label: 'See these links', url: `${origin}/app?has_problem=true` },
    closing: `You get this mail at most every six hours, as an administrator of ${organization} on ${new URL(origin).host}.`,
  });
}

function lineOf({ title, problems }: FailingLink): string {
  const texts = problems.map(
    ({ url, problem }) => `${unlinked(oneLine(new URL(url).host))} ${problemTexts[problem]}`,
  );
  return `${unlinked(oneLine(title))}: ${[...new Set(texts)].join('; ')}.`;
}
