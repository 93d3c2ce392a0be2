import { privateRanges, readAddress } from '../address-rules.ts';
import { isAmong } from './same-address.ts';

/** The answer to one DNS query. `unknown`: there was none, which shows nothing about the records. */
export type Answer =
  | { readonly kind: 'found'; readonly values: readonly string[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' };

/** The results of one lookup of a domain in the DNS. */
export interface DomainFindings {
  readonly proof: Answer;
  readonly cname: Answer;
  readonly a: Answer;
  readonly aaaa: Answer;
}

/** Where domains should lead: to a host with its addresses, as far as they are known, or only to addresses. */
export interface DomainTarget {
  readonly host: string | null;
  readonly addresses: readonly string[];
}

const unknown: Answer = { kind: 'unknown' };
export const notQueried: DomainFindings = { proof: unknown, cname: unknown, a: unknown, aaaa: unknown };

export const writeFindings = (findings: DomainFindings): string => JSON.stringify(findings);

/** Written by us; empty if nothing was queried yet. */
export const readFindings = (text: string): DomainFindings => (text === '' ? notQueried : JSON.parse(text));

/** DNS content is untrusted: it is bounded and sanitised before it is stored and shown. */
export const boundedAnswer = (values: readonly string[]): Answer =>
  values.length === 0
    ? { kind: 'none' }
    : { kind: 'found', values: values.slice(0, maxValues).map(boundedValue) };

const maxValues = 30;
const maxValueLength = 300;

const boundedValue = (value: string): string =>
  value
    .replace(/\p{C}/gu, '\ufffd')
    .slice(0, maxValueLength)
    .replace(/[\ud800-\udbff]$/, '');

const maskedRanges = [...privateRanges, 'ipv4Mapped'];

/**
 * Replaces addresses of private networks. A name server in such a network resolves internal names too, and a member who adds such
 * a name as a domain must not learn its address. Our own addresses aren't secret.
 */
export function maskPrivateAddresses(findings: DomainFindings, own: readonly string[]): DomainFindings {
  const masked = (answer: Answer): Answer =>
    answer.kind === 'found'
      ? {
          kind: 'found',
          values: [...new Set(answer.values.map((value) => (isPrivate(value) ? 'private address' : value)))],
        }
      : answer;
  const isPrivate = (value: string) =>
    maskedRanges.includes(readAddress(value)?.range() ?? '') && !isAmong(value, own);
  return { ...findings, a: masked(findings.a), aaaa: masked(findings.aaaa) };
}
