/** What stands in a URI (RFC 3986) anywhere; and what fills in later: a template's braces, a macro's percent signs. */
const unusual = /[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%{}]/u;
const unusualOnes = new RegExp(unusual, 'gu');
const literalHost = /^\/\/\[[0-9a-f:.]+\](?=[:/?#]|$)/i;

const escaped = (text: string): string => text.replace(unusualOnes, encodeURIComponent);

/** The same address as a URI: what has no place in one is percent-encoded, save for braces. */
export function asUri(text: string): string {
  if (!unusual.test(text)) return text;
  const colon = text.indexOf(':') + 1;
  const literal = literalHost.exec(text.slice(colon))?.[0] ?? '';
  const end = colon + literal.length;
  return text.slice(0, end) + escaped(text.slice(end));
}

const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]+)([^?#]*)(.*)$/is;

/**
 * How a destination is stored and answered: as it was sent, where that is a URI (or a template of one) that every reader
 * takes for the same address. Otherwise the parsed address, with what stands behind its host as it was sent.
 */
export function destinationText(given: string, url: URL, hasScheme: boolean): string {
  const [, , authority = '', path = '', rest = ''] = parts.exec(given) ?? [];
  // A backslash is a slash to browsers, and part of the host or the path to others.
  if (authority === '' || path.includes('\\')) return asUri(url.href);
  if (hasScheme && asUri(given) === given && isPlainly(authority, url)) return given;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return asUri(url.href);
  return `${url.protocol}//${url.host}${escaped(`${path || '/'}${rest}`)}`;
}

/** Whether a host was sent as it is parsed: not in another script, in octal or with escapes. */
const isPlainly = (authority: string, { hostname }: URL): boolean =>
  authority.replace(/:\d*$/, '').toLowerCase() === hostname;

/** A stored destination as the header Location has it: a brace is no character of a URI. */
export const locationOf = (destination: string): string =>
  destination.includes('{') || destination.includes('}')
    ? destination.replace(/[{}]/g, encodeURIComponent)
    : destination;
