/**
 * Characters that may appear anywhere in a URI (RFC 3986); and those of placeholders: a template's braces, a macro's percent
 * signs.
 */
const unusual = /[^A-Za-z0-9\-._~:/?#@!$&'()*+,;=%{}]/u;
const unusualOnes = new RegExp(unusual, 'gu');
const literalHost = /^\/\/\[[0-9a-f:.]+\](?=[:/?#]|$)/i;

const escaped = (text: string): string => text.replace(unusualOnes, encodeURIComponent);

/** The same address as a URI: other characters are percent-encoded, except for braces. */
export function asUri(text: string): string {
  if (!unusual.test(text)) return text;
  const colon = text.indexOf(':') + 1;
  const literal = literalHost.exec(text.slice(colon))?.[0] ?? '';
  const end = colon + literal.length;
  return text.slice(0, end) + escaped(text.slice(end));
}

const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#\\]+)([^?#]*)(.*)$/is;

/**
 * How a destination is stored and returned: as it was sent, if that is a URI (or a template of one) that every parser reads as
 * the same address. Otherwise the parsed address, with the part after its host as it was sent.
 */
export function destinationText(given: string, url: URL, hasScheme: boolean): string {
  const [, , authority = '', path = '', rest = ''] = parts.exec(given) ?? [];
  // Browsers read a backslash as a slash, others as part of the host or the path.
  if (authority === '' || path.includes('\\')) return asUri(url.href);
  if (hasScheme && asUri(given) === given && isHostAsParsed(authority, url)) return given;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return asUri(url.href);
  return `${url.protocol}//${url.host}${escaped(`${path || '/'}${rest}`)}`;
}

/** Whether a host was sent in its parsed form: not in another script, in octal or with escapes. */
const isHostAsParsed = (authority: string, { hostname }: URL): boolean =>
  authority.replace(/:\d*$/, '').toLowerCase() === hostname;

/** A stored destination as a Location header: braces are not allowed in a URI. */
export const locationOf = (destination: string): string =>
  destination.includes('{') || destination.includes('}')
    ? destination.replace(/[{}]/g, encodeURIComponent)
    : destination;

/** Whether a URL can be written into a response header unchanged. */
export const isPlainUrl = (url: string): boolean => !/[^\x21-\x7e]/.test(url);
