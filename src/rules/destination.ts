import type { Problem } from './errors.ts';
import { isStorable } from './text.ts';

const maximumBytes = 8192;
const scheme = /^([a-z][a-z0-9+.-]*):/i;
const hostAndPort = /^(?:localhost|[^\s/?#:@]+\.[^\s/?#:@]+|\[[0-9a-f:.]+\]):\d{1,5}(?:[/?#]|$)/i;

type Parsed = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly problem: Problem };

const refuse = (field: string, sentence: string, code: Problem['code'] = 'DESTINATION_INVALID'): Parsed => ({
  ok: false,
  problem: { code, field, sentence },
});

/**
 * Reads what a person gave as a web address. Without a scheme it gets https, as `example.com/path` is what people
 * type. `appSchemes` are the schemes beyond http and https that the operator allows (an app's own, in lower case).
 */
export function parseDestination(text: string, field: string, appSchemes: readonly string[] = []): Parsed {
  const given = text.trim();
  if (!isStorable(given) || /[\r\n\t]/.test(given)) {
    return refuse(field, 'A web address has no line breaks and no control characters.');
  }
  if (given.length > maximumBytes) {
    return refuse(field, `A web address has at most ${maximumBytes} bytes.`, 'FIELD_TOO_LONG');
  }
  const named = hostAndPort.test(given) ? undefined : scheme.exec(given)?.[1]?.toLowerCase();
  const isWeb = named === undefined || named === 'http' || named === 'https';
  if (!isWeb && !appSchemes.includes(named)) {
    return refuse(field, `A link can lead to http and https addresses, not to "${named}:".`);
  }
  const url = URL.parse(named === undefined ? `https://${given.replace(/^\/\//, '')}` : given);
  if (!url || (isWeb && !hasUsableHost(url, named === undefined))) {
    return refuse(field, 'This is not a web address. Give one such as https://example.com/page.');
  }
  if (url.username || url.password) {
    return refuse(
      field,
      'A web address with a user name or password in it would show them to every visitor.',
    );
  }
  if (Buffer.byteLength(url.href) > maximumBytes) {
    return refuse(field, `A web address has at most ${maximumBytes} bytes.`, 'FIELD_TOO_LONG');
  }
  // Anything outside printable ASCII would be refused, or changed, as a header on the way to the visitor.
  if (!/^[\x21-\x7e]+$/.test(url.href)) {
    return refuse(field, 'This address cannot be sent to a visitor. Percent-encode what is not plain ASCII.');
  }
  return { ok: true, url };
}

/** A single word such as `hello` is a slip when no scheme says otherwise; `https://intranet/` is meant. */
function hasUsableHost(url: URL, schemeIsGuessed: boolean): boolean {
  // One dot may stand at the end of a name; an empty label anywhere else makes it nobody's.
  if (/^\.|\.\.|^$/.test(url.hostname)) return false;
  return (
    !schemeIsGuessed ||
    url.hostname.includes('.') ||
    url.hostname === 'localhost' ||
    url.hostname.startsWith('[')
  );
}
