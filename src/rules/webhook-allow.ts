import { type Address, isWithin, type Network, readNetwork, unmapped } from './address-rules.ts';
import { isLoopbackName, normaliseHostname } from './host.ts';

/** Without a port, all its ports are allowed. */
type Entry =
  | { readonly kind: 'name'; readonly name: string; readonly port: number | null }
  | { readonly kind: 'network'; readonly range: Network; readonly port: number | null }
  | { readonly kind: 'loopback' };

/** Internal addresses that webhooks may call. */
export type AllowList = readonly Entry[];

const hostAndPort = /^(\[[0-9a-f:.]+\]|[^\s:/?#@%*\\[\]]+)(?::(\d{1,5}))?$/i;

/** Null if nothing is set. Throws a sentence that completes `WEBHOOK_ALLOW is "x": …`. */
export function parseAllowList(text: string): AllowList | null {
  if (text.trim() === '') return null;
  if (text.trim().toLowerCase() === 'none') return [];
  return text.split(',').map((part) => {
    const entry = networkEntry(part.trim()) ?? hostEntry(part.trim());
    if (!entry) {
      throw new Error(
        'give hosts, host:port or networks, such as n8n.internal,10.0.0.5:8080,192.168.0.0/16, or the word none alone',
      );
    }
    return entry;
  });
}

/** The default: on one's own machine its own services, otherwise nothing. */
export const allowListOf = (setting: AllowList | null, isTrial: boolean): AllowList =>
  setting ?? (isTrial ? [{ kind: 'loopback' }] : []);

/**
 * Whether an internal target is allowed. `address` is null for a name that is not resolved yet: then a network matches, because
 * the name may resolve into it; the final check is made at the call.
 */
export function permits(list: AllowList, host: string, port: number, address: Address | null): boolean {
  const name = normaliseHostname(host);
  const reached = address && unmapped(address);
  return list.some((entry) => {
    if (entry.kind === 'loopback') {
      return isLoopbackName(name) && (reached === null || reached.range() === 'loopback');
    }
    if (entry.port !== null && entry.port !== port) return false;
    if (entry.kind === 'name') return entry.name === name;
    return reached === null || isWithin(reached, entry.range);
  });
}

function networkEntry(text: string): Entry | null {
  const range = readNetwork(text);
  return range && { kind: 'network', range, port: null };
}

function hostEntry(text: string): Entry | null {
  const [, host, digits] = hostAndPort.exec(text) ?? [];
  const port = digits === undefined ? null : Number(digits);
  // Targets are parsed by the same parser, so that both sides spell a host alike.
  const hostname = host === undefined ? undefined : URL.parse(`http://${host}/`)?.hostname;
  if (!hostname || hostname === 'none' || port === 0 || (port ?? 0) > 65535) return null;
  const literal = networkEntry(hostname.replace(/^\[(.*)\]$/, '$1'));
  if (literal?.kind === 'network') return { ...literal, port };
  return hostname.startsWith('[') ? null : { kind: 'name', name: normaliseHostname(hostname), port };
}
