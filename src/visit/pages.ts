import { escapeHtml, policyFor } from '../http/html.ts';
import type { Status } from '../http/status-text.ts';
import { displayDomain } from '../rules/domains/domain-unicode.ts';
import { minuteLength } from '../rules/durations.ts';
import type { LinkForVisitor } from '../rules/link-rules/resolve.ts';
import { memoize } from '../structures/memoize.ts';
import { passField, refererField, refererForForm } from './form.ts';
import { captchaScriptPath } from './gates/captcha-script.ts';

/**
 * The pages that visitors see. They belong to the link's owner, not to us: the domain's name, one sentence, one action. All
 * external text is escaped by `escapeHtml`; pages load nothing except the captcha's script.
 */

const style = `
:root{color-scheme:light dark;--ground:#faf8f5;--ink:#1f1a17;--soft:#6b625b;--accent:#b3203a;--on:#fff}
@media(prefers-color-scheme:dark){:root{--ground:#181513;--ink:#efe9e3;--soft:#a89e95;--accent:#f0718a;--on:#181513}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px 16px;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{width:100%;max-width:400px}
.host{margin:0 0 24px;color:var(--soft);font-size:14px;overflow-wrap:anywhere}
h1{margin:0 0 8px;font-size:24px;line-height:1.25;font-weight:600;overflow-wrap:anywhere}
p{margin:0 0 16px;color:var(--soft)}
label{display:block;margin:24px 0 8px;font-size:14px}
input{width:100%;min-height:44px;padding:8px 12px;border:1px solid var(--soft);border-radius:6px;background:transparent;color:inherit;font:inherit}
input[aria-invalid]{border-color:var(--accent)}
a{color:var(--accent)}
button{width:100%;min-height:44px;margin-top:16px;border:0;border-radius:6px;background:var(--accent);color:var(--on);font:inherit;font-weight:600;cursor:pointer}
button:disabled{opacity:.6;cursor:default}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.error{margin:8px 0 0;color:var(--accent);font-size:14px}
[role=status]{min-height:24px;margin:16px 0 0;font-size:14px}
`.replaceAll('\n', '');

// No form-action: browsers apply it to the redirect after the form as well, and would block that.
const policy = policyFor(style);
const policyWithScript = `${policy}; script-src 'self'`;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'private, no-store',
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

export interface Page {
  readonly status: Status;
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

interface Contents {
  readonly status: Status;
  readonly host: string;
  readonly title: string;
  readonly head?: string;
  readonly body: string;
  readonly extraHeaders?: Record<string, string> | undefined;
}

/** In its own script, as browsers show it; in ASCII, which the fast path sends. */
const escapedHost = memoize(1_000, (host) =>
  escapeHtml(displayDomain(host)).replace(/\P{ASCII}/gu, (letter) => `&#${letter.codePointAt(0)};`),
);

function page({ status, host, title, head = '', body, extraHeaders }: Contents): Page {
  const html =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<title>${escapeHtml(title)}</title>${head}<style>${style}</style></head>` +
    `<body><main><p class="host">${escapedHost(host)}</p>${body}</main></body></html>`;
  return { status, headers: extraHeaders === undefined ? headers : { ...headers, ...extraHeaders }, html };
}

function messagePage(
  status: Status,
  host: string,
  title: string,
  sentence: string,
  extraHeaders?: Record<string, string>,
): Page {
  return page({ status, host, title, body: `<h1>${title}</h1><p>${sentence}</p>`, extraHeaders });
}

/** Memoized, because guesses at links may request it thousands of times a second. */
export const notFoundPage = memoize(1_000, (host) =>
  messagePage(
    404,
    host,
    'No link here',
    'Check the address for typos, or ask the person who gave it to you.',
  ),
);

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** "1 December 2026, 08:00 UTC" (the visitor's time zone is unknown), rounded up, so that the link has started by the time shown. */
function dayAndTime(instant: number): string {
  const at = new Date(Math.ceil(instant / minuteLength) * minuteLength);
  const time = [at.getUTCHours(), at.getUTCMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
  return `${at.getUTCDate()} ${months[at.getUTCMonth()]} ${at.getUTCFullYear()}, ${time} UTC`;
}

/** Of a link that hasn't started. */
export const notStartedPage = (host: string, startsAt: number, now: number): Page =>
  messagePage(404, host, 'Not yet', `This link starts on ${dayAndTime(startsAt)}. Open it again then.`, {
    'retry-after': String(Math.max(1, Math.ceil((startsAt - now) / 1000))),
  });

/** Of a link that has expired or is disabled. */
export const expiredPage = (host: string): Page =>
  messagePage(
    410,
    host,
    'This link has ended',
    'It no longer leads anywhere. Whoever shared it may have a new one.',
  );

export const refusedPage = (host: string): Page =>
  messagePage(403, host, 'Not for automated visitors', 'This link is for people. Open it in a web browser.');

export const slowDownPage = (host: string, retryAfter: number): Page =>
  messagePage(
    429,
    host,
    'Too many wrong addresses',
    'Your network asked for many links that do not exist. Try again in a minute.',
    { 'retry-after': String(retryAfter) },
  );

export const unavailablePage = (host: string): Page =>
  messagePage(
    503,
    host,
    'Not reachable right now',
    'This link cannot be looked up at the moment. Try again in a few seconds.',
    { 'retry-after': '5' },
  );

export const methodPage = (host: string, allow: string): Page =>
  messagePage(405, host, 'This link is only for opening', 'Nothing can be sent to it.', { allow });

export const badFormPage = (host: string): Page =>
  messagePage(400, host, 'This could not be read', 'Open the link again, and send the form from its page.');

/** Carries the Referer of the visit through the form: our pages send none. */
function refererInput(referer: string): string {
  const carried = refererForForm(referer);
  return carried === '' ? '' : `<input type="hidden" name="${refererField}" value="${escapeHtml(carried)}">`;
}

export const passwordPage = (
  host: string,
  referer: string,
  error?: { status: Status; sentence: string; retryAfter?: number },
): Page =>
  page({
    status: error?.status ?? 200,
    host,
    title: 'This link has a password',
    body:
      `<h1>This link has a password</h1><form method="post"><label for="password">Password</label>` +
      `<input id="password" name="password" type="password" autocomplete="off" required autofocus maxlength="256"` +
      `${error ? ' aria-invalid="true" aria-describedby="error"' : ''}>` +
      `${error ? `<p class="error" id="error" role="alert">${escapeHtml(error.sentence)}</p>` : ''}` +
      `${refererInput(referer)}<button>Open link</button></form>`,
    extraHeaders: error?.retryAfter === undefined ? undefined : { 'retry-after': String(error.retryAfter) },
  });

interface CaptchaForm {
  readonly challenge: object;
  readonly referer: string;
  /** Of a visitor who has sent the password. */
  readonly pass: string | null;
  readonly error: string | undefined;
}

export const captchaPage = (host: string, { challenge, referer, pass, error }: CaptchaForm): Page =>
  page({
    status: error ? 403 : 200,
    host,
    title: 'One click to continue',
    head: `<script type="module" src="${captchaScriptPath}"></script>`,
    body:
      '<h1>One click to continue</h1><p>This link is protected from automated visitors. Your browser solves a short calculation; it is asked nothing about you.</p>' +
      `<form method="post" data-challenge="${escapeHtml(JSON.stringify(challenge))}"><input type="hidden" name="altcha">` +
      `${pass === null ? '' : `<input type="hidden" name="${passField}" value="${escapeHtml(pass)}">`}` +
      `${refererInput(referer)}<button>Continue</button><p role="status">${error ? escapeHtml(error) : ''}</p></form>` +
      '<noscript><p>This check needs JavaScript. Allow it for this page and reload.</p></noscript>',
    extraHeaders: { 'content-security-policy': policyWithScript },
  });

/** For crawlers that show a preview card for a pasted link. It contains what the owner wrote, and nothing else. */
export function previewPage(host: string, url: string, { options }: LinkForVisitor): Page {
  const { ogTitle = null, ogDescription = null, ogImage = null } = options ?? {};
  const title = ogTitle ?? displayDomain(host);
  const tag = (property: string, content: string | null) =>
    content === null ? '' : `<meta property="${property}" content="${escapeHtml(content)}">`;
  return page({
    status: 200,
    host,
    title,
    head:
      tag('og:type', 'website') +
      tag('og:url', url) +
      tag('og:title', title) +
      tag('og:description', ogDescription) +
      tag('og:image', ogImage) +
      `<meta name="twitter:card" content="${ogImage === null ? 'summary' : 'summary_large_image'}">`,
    body: ogTitle === null ? '' : `<h1>${escapeHtml(ogTitle)}</h1>`,
  });
}
