import { parse } from 'tldts';
import { type Problem, Refusal } from '../errors.ts';
import { isLoopbackName, normaliseHostname } from '../host.ts';
import { invisibleIn } from '../invisible.ts';

/** The name of a domain's proof: separate from whatever else the domain is used for. */
export const proofLabel = '_linnet';

/** A name has at most 253 characters, and the proof's name must be valid too. */
const maxLength = 253 - proofLabel.length - 1;
const maxInputLength = 2_000;

const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Top-level names outside the public DNS (RFC 6761, RFC 6762 appendix G, RFC 8375, RFC 9476). */
const reservedEndings = [
  'localhost',
  'localdomain',
  'local',
  'test',
  'example',
  'invalid',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'onion',
  'alt',
  'arpa',
];

/** Whether a name with this ending belongs to a private network, or to none at all. */
export const isReservedEnding = (label: string): boolean => reservedEndings.includes(label);

const refusal = (sentence: string, code: Problem['code'] = 'DOMAIN_INVALID'): Refusal =>
  new Refusal(code, sentence, { field: 'domain' });

/**
 * Parses the name of a domain as people enter it: with or without https:// and a trailing slash, in any script; or refuses it.
 * `ours` are the hosts that belong to the service itself.
 */
export function readDomainName(text: string, ours: readonly string[]): string {
  const given = text.trim();
  if (given.length > maxInputLength) throw tooLong();
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(given)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'https' && scheme !== 'http') {
    throw refusal(`"${scheme}://" is no part of a domain. Give the name alone, such as go.example.com.`);
  }
  const bare = scheme === undefined ? given : given.slice(scheme.length + 3);
  const end = bare.search(/[/?#\\]/);
  const name = end < 0 ? bare : bare.slice(0, end);
  if (name !== '' && end >= 0 && bare.slice(end) !== '/') {
    throw refusal(`A domain has nothing behind its name. Give "${shown(name)}" alone.`);
  }
  return readHost(name, ours);
}

function readHost(name: string, ours: readonly string[]): string {
  if (name === '') throw refusal('Give the name of a domain, such as go.example.com.');
  if (name.includes('@')) throw refusal('A domain has no user name in it. Give only what follows the @.');
  if (/^[^[\]]*:/.test(name)) {
    throw refusal('A domain has no port. Give the name alone; links answer on the usual ports.');
  }
  // Percent signs and invisible characters would be parsed as another name than the visible one.
  if (/[%\s]|\p{C}|\p{Default_Ignorable_Code_Point}/u.test(name))
    throw refusal(invisibleIn(name) ?? unusable(name));
  const url = URL.parse(`https://${name}`);
  if (!url) throw refusal(unusable(name));
  const host = normaliseHostname(url.hostname);
  if (/^[\d.]+$/.test(host) || host.startsWith('[')) {
    throw refusal('This is an address of a machine, not a name. Give a domain, such as go.example.com.');
  }
  if (host.length > maxLength) throw tooLong();
  if (isLoopbackName(host)) throw refusal(reserved(host), 'DOMAIN_RESERVED');
  const labels = host.split('.');
  if (labels.length < 2)
    throw refusal(`"${shown(name)}" is a single word. Give a whole name, such as go.example.com.`);
  if (!labels.every((label) => hostLabel.test(label))) throw refusal(unusable(name));
  refuseUnusable(host, ours);
  return host;
}

/** Refuses a host, a valid name, that can't be a custom domain. */
function refuseUnusable(host: string, ours: readonly string[]): void {
  if (reservedEndings.some((ending) => host === ending || host.endsWith(`.${ending}`))) {
    throw refusal(reserved(host), 'DOMAIN_RESERVED');
  }
  if (ours.some((own) => host === own || host.endsWith(`.${own}`))) {
    throw refusal(
      `"${host}" belongs to this service itself. Links on its own domain need no set-up.`,
      'DOMAIN_RESERVED',
    );
  }
  const { publicSuffix, domain } = parse(host, { allowPrivateDomains: true });
  if (domain === null || publicSuffix === host) {
    throw refusal(
      `"${host}" is an ending under which everybody may have names. Give a name of your own under it.`,
      'DOMAIN_RESERVED',
    );
  }
}

/** Whether a domain is a registered one, not a subdomain: such names can't have a CNAME. */
export const isApex = (host: string): boolean => parse(host, { allowPrivateDomains: true }).domain === host;

const shown = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name);

const unusable = (name: string): string =>
  `"${shown(name)}" is not the name of a domain. Letters, digits and hyphens make one, with dots between, such as go.example.com.`;

const reserved = (host: string): string =>
  `"${host}" leads nowhere in the world's DNS. Give a name that is registered.`;

const tooLong = (): Refusal =>
  refusal(`The name of a domain has at most ${maxLength} characters here.`, 'FIELD_TOO_LONG');
