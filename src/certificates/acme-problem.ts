import type { CertificateProblem } from '../rules/domains/certificate-problem.ts';

/** Why an order failed: the authority's error, or that it didn't answer. */
export class AcmeProblem extends Error {
  override readonly name = 'AcmeProblem';
  readonly problem: CertificateProblem;
  /** When a retry is allowed, in epoch milliseconds; null if the authority doesn't say. */
  readonly retryAt: number | null;
  /** The authority's error type, such as `badNonce`. */
  readonly type: string;

  constructor(problem: CertificateProblem, detail: string, type = '', retryAt: number | null = null) {
    super(detail);
    this.problem = problem;
    this.type = type;
    this.retryAt = retryAt;
  }
}

interface ProblemDocument {
  readonly type?: string;
  readonly detail?: string;
  readonly subproblems?: readonly ProblemDocument[];
}

const problems: Readonly<Record<string, CertificateProblem>> = {
  caa: 'caa',
  dns: 'dns',
  connection: 'connection',
  tls: 'connection',
  unauthorized: 'other_answer',
  incorrectResponse: 'other_answer',
  rateLimited: 'rate_limit',
  rejectedIdentifier: 'rejected_name',
  unsupportedIdentifier: 'rejected_name',
  externalAccountRequired: 'account',
  accountDoesNotExist: 'account',
  userActionRequired: 'account',
  invalidContact: 'account',
  serverInternal: 'authority_away',
};

const maxDetail = 500;

export function problemOf(document: unknown, status = 0, retryAt: number | null = null): AcmeProblem {
  const { type = '', detail, subproblems = [] } = (document ?? {}) as ProblemDocument;
  const lastPart = (urn: string) => urn.slice(urn.lastIndexOf(':') + 1);
  // A compound error has its details in its subproblems.
  const own = lastPart(type);
  const inner = own === 'compound' || problems[own] === undefined ? subproblems[0] : undefined;
  const name = inner?.type === undefined ? own : lastPart(inner.type);
  // Not every authority has a separate error type for a failed connection.
  const isUnreachable =
    name === 'unauthorized' && /connect|time(d )?out|refused/i.test(`${detail} ${inner?.detail}`);
  const problem = isUnreachable
    ? 'connection'
    : (problems[name] ?? (status >= 500 || status === 0 ? 'authority_away' : 'refused'));
  const text = [detail, inner?.detail].filter(Boolean).join(' ') || `status ${status}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is taken out
  return new AcmeProblem(problem, text.replace(/[\x00-\x1f\x7f]+/g, ' ').slice(0, maxDetail), name, retryAt);
}
