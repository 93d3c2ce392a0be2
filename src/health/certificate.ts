import { connect } from 'node:tls';
import {
  type CertificateProblem,
  certificateSentence,
  isCertificateProblem,
} from '../rules/domains/certificate-problem.ts';
import { dayLength } from '../rules/durations.ts';
import { type Finding, notice, ok, problem } from '../rules/finding.ts';
import type { CheckContext } from './check-context.ts';
import { verifiedDomains } from './verified-domains.ts';

/** Renewal is due at two thirds of a lifetime: a certificate with this little left has missed it. */
const fewDays = 10;
const smallPart = 1 / 6;
const timeout = 5_000;
const maxDomains = 20;
const maxFailing = 100;

/** Checks the certificates of the service's host and of custom domains, as a browser sees them. */
export async function certificateFindings({ site, store, config, now }: CheckContext): Promise<Finding[]> {
  if (!site.isSecure) return [ok(`${site.origin} is without HTTPS: there is no certificate to look at.`)];
  const port = Number(new URL(site.origin).port || 443);
  const failing = config.https === 'auto' ? await failingNames(store, site.defaultHost) : [];
  const served = [site.defaultHost, ...(await verifiedDomains(store)).slice(0, maxDomains)];
  const others = served.filter((host) => !failing.some((name) => name.host === host));
  const findings = await Promise.all(others.map((host) => certificateOf(host, port, now)));
  return [...failing.map((name) => failedOrder(name, now)), ...findings];
}

interface FailingName {
  readonly host: string;
  readonly problem: CertificateProblem;
  readonly detail: string | null;
  /** Of its current certificate. */
  readonly until: number | null;
}

/** The names whose last order failed, where this service orders certificates itself. */
async function failingNames(store: CheckContext['store'], ownHost: string): Promise<readonly FailingName[]> {
  // A store of an earlier version has no such table.
  const rows = await store
    ?.query(
      `select host, problem, problem_detail, not_after,
        (select 1 from domains where domains.host = certificates.host and verified_at is not null) as is_domain
        from certificates where problem is not null order by next_at limit ${maxFailing}`,
    )
    .catch(() => []);
  return (rows ?? []).flatMap(({ host, problem: code, problem_detail, not_after, is_domain }) => {
    if (!isCertificateProblem(String(code)) || (is_domain === null && host !== ownHost)) return [];
    const detail = problem_detail === null ? null : String(problem_detail);
    const until = not_after === null ? null : Number(not_after);
    return [{ host: String(host), problem: String(code) as CertificateProblem, detail, until }];
  });
}

function failedOrder({ host, problem: code, detail, until }: FailingName, now: number): Finding {
  const authorityMessage = detail === null ? '' : ` (The authority: ${detail})`;
  const todo = certificateSentence(code, host) + authorityMessage;
  const isValid = until !== null && until > now;
  return isValid
    ? notice(`The certificate of ${host} could not be renewed.`, todo)
    : problem(`${host} has no certificate: its order failed.`, todo);
}

async function certificateOf(host: string, port: number, now: number): Promise<Finding> {
  try {
    return certificateFinding(host, await readPeerCertificate(host, port), now);
  } catch (cause) {
    return notice(
      `The certificate of ${host} could not be seen from here: ${(cause as Error).message}.`,
      `See that port ${port} is open, and that ${host} leads to this machine or to the proxy in front.`,
    );
  }
}

export function certificateFinding(host: string, certificate: PeerCertificate, now: number): Finding {
  const { problem: untrusted, begins, expires } = certificate;
  const days = Math.floor((expires - now) / dayLength);
  const isLate = expires - now < Math.min(fewDays * dayLength, (expires - begins) * smallPart);
  if (days < 0) return problem(`The certificate of ${host} expired ${-days} days ago.`, renewTodo);
  if (untrusted !== null)
    return problem(`Browsers refuse the certificate of ${host}: ${untrusted}.`, renewTodo);
  if (isLate) return notice(`The certificate of ${host} expires in ${days} days.`, renewTodo);
  return ok(`The certificate of ${host} is valid for ${days} more days.`);
}

const renewTodo =
  "See what the log says of it, or the proxy's, where that gets the certificates; docs/operations.md has the usual reasons.";

interface PeerCertificate {
  readonly problem: string | null;
  readonly begins: number;
  readonly expires: number;
}

function readPeerCertificate(host: string, port: number): Promise<PeerCertificate> {
  const { promise, resolve, reject } = Promise.withResolvers<PeerCertificate>();
  // Certificates that browsers would refuse are checked, too.
  const socket = connect({ host, port, servername: host, rejectUnauthorized: false });
  socket.setTimeout(timeout, () => socket.destroy(new Error('no answer')));
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the connection was closed')));
  socket.on('secureConnect', () => {
    const { valid_from, valid_to } = socket.getPeerCertificate();
    const fault = socket.authorizationError as Error | string | null | undefined;
    resolve({
      problem: socket.authorized ? null : String(fault ?? 'it is not trusted'),
      begins: Date.parse(valid_from),
      expires: Date.parse(valid_to),
    });
    socket.destroy();
  });
  return promise;
}
