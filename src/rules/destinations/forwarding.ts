/** `merge`: the destination's parameters win over the visitor's of the same name; `override`: the visitor's win. */
export const queryForwardings = ['none', 'merge', 'override'] as const;
export type QueryForwarding = (typeof queryForwardings)[number];

export const isQueryForwarding = (text: unknown): text is QueryForwarding =>
  queryForwardings.some((known) => known === text);

export const redirectStatuses = [301, 302, 307, 308] as const;
export type RedirectStatus = (typeof redirectStatuses)[number];

export const isRedirectStatus = (value: unknown): value is RedirectStatus =>
  redirectStatuses.some((known) => known === value);

/** The parts of a visited address that are forwarded to the destination. */
export interface Forwarded {
  /** With its question mark, or empty. */
  readonly search: string;
  /** The path after the suffix, with its slash, or empty. */
  readonly rest: string;
}

/** A destination with the forwarded parts. Order and repeated parameters are kept; the marker of QR codes is removed. */
export function forwardTo(
  destination: string,
  { search, rest }: Forwarded,
  forwarding: QueryForwarding,
): string {
  const hash = destination.indexOf('#');
  const whole = hash < 0 ? destination : destination.slice(0, hash);
  const queryStart = whole.indexOf('?');
  const base = queryStart < 0 ? whole : whole.slice(0, queryStart);
  const query = queryStart < 0 ? '' : whole.slice(queryStart + 1);
  const path = base.endsWith('/') && rest !== '' ? base + escaped(rest.slice(1)) : base + escaped(rest);
  const merged = mergedQuery(query, search, forwarding);
  const fragment = hash < 0 ? '' : destination.slice(hash);
  return `${path}${merged === '' && queryStart < 0 ? '' : `?${merged}`}${fragment}`;
}

function mergedQuery(query: string, search: string, forwarding: QueryForwarding): string {
  if (forwarding === 'none' || search.length < 2) return query;
  const sent = parametersIn(search.slice(1)).filter(({ name }) => name !== 'qr');
  if (sent.length === 0) return query;
  const own = parametersIn(query);
  const [winning, losing] = forwarding === 'merge' ? [own, sent] : [sent, own];
  const names = new Set(winning.map(({ name }) => name));
  const kept = losing.filter(({ name }) => !names.has(name));
  const all = forwarding === 'merge' ? [...own, ...kept] : [...kept, ...sent];
  const sentOnes = new Set(sent);
  return all.map((one) => (sentOnes.has(one) ? escaped(one.text) : one.text)).join('&');
}

interface Parameter {
  readonly name: string;
  /** As it is written in the query. */
  readonly text: string;
}

const parametersIn = (query: string): Parameter[] =>
  query.split('&').flatMap((text) => (text === '' ? [] : { name: nameIn(text), text }));

/** The decoded name of a parameter as it is written in a query. */
export function nameIn(parameter: string): string {
  const end = parameter.indexOf('=');
  return decoded(end < 0 ? parameter : parameter.slice(0, end));
}

/** A part of a query; without its percent-encoding, if that is valid. */
export function decoded(part: string): string {
  const spaced = part.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/** Characters that the two request readers escape differently, or that are not allowed in a header, are escaped. */
const unsafe = /[^A-Za-z0-9\-._~:/?@!$&()*+,;=%]/gu;

const escaped = (text: string): string =>
  text.search(unsafe) < 0
    ? text
    : text
        .toWellFormed()
        .replace(unsafe, (character) => (character === "'" ? '%27' : encodeURIComponent(character)));
