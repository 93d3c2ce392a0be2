import { escapeHtml } from '../http/html.ts';
import type { Mail } from './mailer.ts';

const button =
  'display:inline-block;padding:12px 20px;border-radius:8px;background:#a3182f;color:#ffffff;font-weight:600;text-decoration:none';
const small = 'font-size:14px;word-break:break-word';

/** What every mail about an organization names. */
export interface OrganizationFacts {
  readonly to: string;
  readonly organization: string;
  /** The address of this service. */
  readonly origin: string;
}

interface ActionMailParts {
  readonly to: string;
  readonly subject: string;
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** The page that the mail is about, and the label of the button that leads to it. */
  readonly action: { readonly label: string; readonly url: string };
  readonly closing: string;
}

/** A mail with one button, as text and as HTML. Mail clients support few style sheets, so styles are inline. */
export function actionMail({ to, subject, title, paragraphs, action, closing }: ActionMailParts): Mail {
  const url = escapeHtml(action.url);
  return {
    to,
    subject,
    text: [...paragraphs, `${action.label}:\n${action.url}`, closing, ''].join('\n\n'),
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto">
${paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}
<p style="margin:24px 0"><a href="${url}" style="${button}">${escapeHtml(action.label)}</a></p>
<p style="${small}">Or open this address: <br>${url}</p>
<p style="${small}">${escapeHtml(closing)}</p>
</div>
</body>
</html>
`,
  };
}
