import { type Arrival, arrivalHeader, arrivalPath, probeHeader, signArrival } from '../rules/arrival.ts';
import { type Finding, notice, ok, problem } from '../rules/finding.ts';
import { addressSetting, type CheckContext, type Findings } from './check-context.ts';

const timeout = 8_000;

/** Calls the running server through its public address, as visitors do, to see how the request arrives. */
export async function arrivalFindings(context: CheckContext): Promise<Findings> {
  const { site, secrets, config, now } = context;
  if (secrets === null)
    return notice('The address is not called without a secret key.', 'See the line about the key.');
  const { origin } = site;
  let answer: Response;
  try {
    answer = await fetch(origin + arrivalPath, {
      headers: { [arrivalHeader]: signArrival(secrets, now), [probeHeader]: 'navigate' },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
      // The certificate has a check of its own.
      tls: { rejectUnauthorized: false },
      // Over http, a proxy that HTTP_PROXY names for outgoing calls would add headers like one in front of the service.
      ...(site.isSecure ? {} : { proxy: false }),
    });
  } catch (cause) {
    return notice(
      `${origin} does not answer this machine: ${(cause as Error).message}`,
      `See that the server runs, and that ${addressSetting(context)} leads to it. If others can reach it, only the way from this machine back to itself may be missing.`,
    );
  }
  const arrival = (await answer.json().catch(() => null)) as Arrival | null;
  if (answer.status !== 200 || arrival?.headers === undefined)
    return problem(
      `At ${origin} something else answers, or another Linnet (${answer.status}).`,
      `Check ${addressSetting(context)}, the DNS, and that the proxy passes on all paths and the Host header as it is.`,
    );
  return headerFindings(arrival, config.trustedProxies, site.isSecure, origin);
}

/** What the headers reveal about the proxies in front. */
export function headerFindings(
  { headers, client, isProxyTrusted }: Arrival,
  trusted: CheckContext['config']['trustedProxies'],
  isSecure: boolean,
  origin: string,
): Finding[] {
  const forwarded = headers['x-forwarded-for'];
  const isProxied = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-forwarded-proto'].some(
    (name) => name in headers,
  );
  const trusts = trusted.kind === 'networks' || trusted.count > 0;
  const findings: Finding[] = [];
  const report = (level: typeof problem, found: string, todo: string) => findings.push(level(found, todo));
  if (isProxied && !trusts)
    report(
      problem,
      'A proxy passes requests on, and TRUSTED_PROXIES is 0: all visitors count as one, and share one limit.',
      'Set TRUSTED_PROXIES to how many proxies stand in front (mostly 1), or to their networks.',
    );
  if (trusts && forwarded === undefined)
    report(
      problem,
      'TRUSTED_PROXIES names proxies, and no X-Forwarded-For arrives: visitors could claim any address.',
      'Have the proxy send X-Forwarded-For, or set TRUSTED_PROXIES to 0 where there is none.',
    );
  if (trusted.kind === 'networks' && forwarded !== undefined && isProxyTrusted === false)
    report(
      problem,
      `TRUSTED_PROXIES does not name the proxy ${client}: all its visitors count as one, and share one limit.`,
      'Add its address or network to TRUSTED_PROXIES.',
    );
  if (trusted.kind === 'hops' && forwarded !== undefined && forwarded.split(',').length < trusted.count)
    report(
      problem,
      `TRUSTED_PROXIES is ${trusted.count}, and X-Forwarded-For names ${forwarded.split(',').length}: visitors could claim any address.`,
      'Set it to the number of proxies in front of it.',
    );
  if (isSecure && isProxied && headers['x-forwarded-proto'] !== 'https')
    report(
      notice,
      'The proxy does not send X-Forwarded-Proto: https.',
      "Have it send that: some clicks count as a script's without it.",
    );
  if (!(probeHeader in headers))
    report(
      notice,
      'The proxy removes Sec-Fetch-* header fields.',
      "Have it pass them on: without them Chrome's clicks count as a script's.",
    );
  if (findings.length > 0) return findings;
  return [
    ok(`${origin} leads here${isProxied ? ' through a proxy' : ''}; this machine arrives as ${client}.`),
  ];
}
