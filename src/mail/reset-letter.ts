import { escapeHtml } from '../http/html.ts';
import { button, letterPage, small } from './letter-page.ts';
import type { Letter } from './mailer.ts';

export interface ResetFacts {
  readonly to: string;
  readonly url: string;
  /** The address of this service. */
  readonly origin: string;
}

const closing =
  'The link works once, for an hour, and only the newest one does. If it was not you who asked, leave it be: your password stays as it is.';

export function resetLetter({ to, url, origin }: ResetFacts): Letter {
  const { host } = new URL(origin);
  const opening = `Somebody asked for a new password for the account of ${to} on ${host}.`;
  return {
    to,
    subject: `A new password for ${host}`,
    text: [opening, `Set a new password:\n${url}`, closing, ''].join('\n\n'),
    html: letterPage('A new password', [
      `<p>${escapeHtml(opening)}</p>`,
      `<p style="margin:24px 0"><a href="${escapeHtml(url)}" style="${button}">Set a new password</a></p>`,
      `<p style="${small}">Or open this address: <br>${escapeHtml(url)}</p>`,
      `<p style="${small}">${closing}</p>`,
    ]),
  };
}
