const plainHost = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?)(?::(\d{1,5}))?$/i;

/** Splits a Host header. Null unless it is one plain host, optionally with a port. */
export function parseHost(header: string | null): { readonly name: string; readonly port: string } | null {
  const match = header === null || header.length > 260 ? null : plainHost.exec(header);
  if (!match || Number(match[2] ?? 0) > 65535) return null;
  return { name: normaliseHostname(match[1] ?? ''), port: match[2] ?? '' };
}

export const normaliseHostname = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** How a referrer is counted: `www.example.com` and `example.com` are the same. */
export const withoutWww = (host: string): string => (host.startsWith('www.') ? host.slice(4) : host);

export function isLoopbackName(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    name === '::1' ||
    /^\[::ffff:7f[0-9a-f]{2}:/.test(name) ||
    /^127(?:\.\d{1,3}){3}$/.test(name)
  );
}

/** Names that reach this machine when used on it: the loopback ones and the "any" addresses. */
export const isThisMachine = (name: string): boolean =>
  isLoopbackName(name) || ['0.0.0.0', '[::]', '[::ffff:0:0]'].includes(name);

/** A name has 253 characters at most; more if they are percent-encoded. */
const maxAuthority = 1_000;

/**
 * Whether an address names a host that is longer than any. It must not be parsed: that takes a time quadratic in the number of marks.
 * Like browsers, this ignores line breaks and tabs, and how many slashes there are.
 */
export function hasLongHost(address: string): boolean {
  const text = address.replace(/[\t\r\n]/g, '').trimStart();
  const authority = /^(?:https?:[/\\]*|[/\\]{2,})([^/?#\\]*)/i.exec(text)?.[1] ?? '';
  return authority.length > maxAuthority;
}
