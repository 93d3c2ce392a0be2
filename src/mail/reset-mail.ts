import { actionMail } from './action-mail.ts';
import type { Mail } from './mailer.ts';

interface ResetFacts {
  readonly to: string;
  readonly url: string;
  /** The address of this service. */
  readonly origin: string;
}

export function resetMail({ to, url, origin }: ResetFacts): Mail {
  const { host } = new URL(origin);
  return actionMail({
    to,
    subject: `A new password for ${host}`,
    title: 'A new password',
    paragraphs: [`Somebody asked for a new password for the account of ${to} on ${host}.`],
    action: { label: 'Set a new password', url },
    closing:
      'The link works once, for an hour, and only the newest one does. If it was not you who asked, leave it be: your password stays as it is.',
  });
}
