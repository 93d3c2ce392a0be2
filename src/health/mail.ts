import { type Finding, ok, problem } from '../rules/finding.ts';
import type { CheckContext } from './check-context.ts';

/** Connects and signs in, without sending mail. */
export async function mailFindings({ mailer }: CheckContext): Promise<Finding> {
  if (mailer === null)
    return ok('No mail server is set: people pass on the links of invitations themselves.');
  const fault = await mailer.check();
  if (fault === null) return ok('The mail server takes mail from here.');
  return problem(
    `The mail server does not take mail from here: ${fault}.`,
    'Check SMTP_URL: host, port, user and password.',
  );
}
