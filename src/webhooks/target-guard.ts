import { type Address, isPublic, readAddress, unmapped } from '../rules/address-rules.ts';
import { webhookCredentials } from '../rules/destinations/destination.ts';
import { normaliseHostname } from '../rules/host.ts';
import { isStorable } from '../rules/text.ts';
import { type AllowList, permits } from '../rules/webhook-allow.ts';

const maxLength = 2048;
const usualPorts = [80, 443];
const dnsName = /^(?=.{1,253}$)(?:[a-z0-9_-]{1,63}\.)*[a-z0-9][a-z0-9_-]{0,62}$/;

/** A name without a dot, or with an ending of home and office networks (RFC 6762, appendix G). */
const internalName =
  /^[^.]+$|(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/;

type Target = { readonly ok: true; readonly url: URL } | { readonly ok: false; readonly sentence: string };

/** All addresses of a name, in the order to try them. Rejects when the name can't be resolved. */
export type Resolver = (name: string) => Promise<readonly string[]>;

type Resolution =
  | { readonly kind: 'checked'; readonly addresses: readonly Address[] }
  | { readonly kind: 'refused'; readonly sentence: string }
  | { readonly kind: 'unresolved'; readonly sentence: string };

const refuse = (sentence: string) => ({ ok: false, sentence }) as const;

/** Checks a webhook's target by its text alone. */
export function checkTarget(text: string, allowed: AllowList): Target {
  const given = text.trim();
  if (!isStorable(given) || /[\r\n\t]/.test(given)) {
    return refuse('A webhook target has no line breaks and no control characters.');
  }
  const url = given.length > maxLength ? null : URL.parse(given);
  if (given.length > maxLength || (url && url.href.length > maxLength)) {
    return refuse(`A webhook target has at most ${maxLength} characters.`);
  }
  if (!url) return refuse('This is not a web address. Give one such as https://example.com/hook.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refuse(`Webhooks go to http and https addresses, not to "${url.protocol}".`);
  }
  if (url.username || url.password) return refuse(webhookCredentials);
  const sentence = hostProblem(url.hostname, portOf(url), allowed);
  return sentence === null ? { ok: true, url } : refuse(sentence);
}

function hostProblem(hostname: string, port: number, allowed: AllowList): string | null {
  const address = readAddress(withoutBrackets(hostname));
  if (address) return addressProblem(hostname, port, address, allowed);
  const name = normaliseHostname(hostname);
  if (!dnsName.test(name)) return `"${hostname}" is not the name of a host.`;
  return problemOf(hostname, port, permits(allowed, hostname, port, null), internalName.test(name));
}

const addressProblem = (hostname: string, port: number, address: Address, allowed: AllowList) =>
  problemOf(hostname, port, permits(allowed, hostname, port, address), !isPublic(address));

function problemOf(hostname: string, port: number, isPermitted: boolean, isInternal: boolean): string | null {
  if (isPermitted) return null;
  if (isInternal)
    return `"${hostname}" is not a public address. The operator can permit it by WEBHOOK_ALLOW.`;
  return usualPorts.includes(port)
    ? null
    : `Webhooks go to ports 80 and 443, not to ${port}. The operator can permit others by WEBHOOK_ALLOW.`;
}

/**
 * Resolves a target at the moment of the call. The name is resolved once, and one forbidden address refuses all: a public address
 * beside an internal one is a trick to get a name accepted.
 */
export async function resolveTarget(
  hostname: string,
  port: number,
  resolver: Resolver,
  allowed: AllowList,
): Promise<Resolution> {
  const literal = withoutBrackets(hostname);
  let found: readonly string[];
  try {
    found = readAddress(literal) ? [literal] : await resolver(normaliseHostname(hostname));
  } catch (cause) {
    return { kind: 'unresolved', sentence: `The name "${hostname}" could not be resolved${codeOf(cause)}.` };
  }
  if (found.length === 0) return { kind: 'unresolved', sentence: `The name "${hostname}" has no address.` };
  const addresses: Address[] = [];
  for (const text of found) {
    const address = readAddress(text);
    const sentence = address
      ? addressProblem(hostname, port, address, allowed)
      : `"${hostname}" has an address that can't be read.`;
    if (!address || sentence !== null) return { kind: 'refused', sentence: sentence ?? '' };
    addresses.push(unmapped(address));
  }
  return { kind: 'checked', addresses };
}

export const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80));

export const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? ` (${cause.code})` : '';
