import { connect } from 'node:tls';
import { type Finding, notice, ok, problem } from '../rules/finding.ts';
import type { Patient } from './patient.ts';
import { verifiedDomains } from './verified-domains.ts';

const day = 24 * 60 * 60 * 1000;
/** Renewal is due at two thirds of a lifetime: who has so few days left has missed it. */
const fewDays = 10;
const patience = 5_000;
const maxDomains = 20;

/** As a browser sees them: of the service's host, and of custom domains. */
export async function certificateFindings({ site, store, now }: Patient): Promise<Finding[]> {
  if (!site.isSecure)
    return [ok('certificate', `${site.origin} is without HTTPS: there is no certificate to look at.`)];
  const port = Number(new URL(site.origin).port || 443);
  const hosts = [site.defaultHost, ...(await verifiedDomains(store)).slice(0, maxDomains)];
  return Promise.all(hosts.map((host) => certificateOf(host, port, now)));
}

async function certificateOf(host: string, port: number, now: number): Promise<Finding> {
  try {
    const { problem: untrusted, expires } = await look(host, port);
    const days = Math.floor((expires - now) / day);
    if (days < 0)
      return problem('certificate', `The certificate of ${host} ran out ${-days} days ago.`, renew);
    if (untrusted !== null)
      return problem('certificate', `Browsers refuse the certificate of ${host}: ${untrusted}.`, renew);
    if (days < fewDays)
      return notice('certificate', `The certificate of ${host} runs out in ${days} days.`, renew);
    return ok('certificate', `The certificate of ${host} is good for ${days} days.`);
  } catch (cause) {
    return notice(
      'certificate',
      `The certificate of ${host} could not be seen from here: ${(cause as Error).message}.`,
      `See that port ${port} is open, and that ${host} leads to this machine or to the proxy in front.`,
    );
  }
}

const renew =
  "See what the log says of it, or the proxy's, where that gets the certificates; docs/operations.md has the usual reasons.";

function look(host: string, port: number): Promise<{ problem: string | null; expires: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ problem: string | null; expires: number }>();
  // What browsers would refuse is looked at, too.
  const socket = connect({ host, port, servername: host, rejectUnauthorized: false });
  socket.setTimeout(patience, () => socket.destroy(new Error('no answer')));
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the connection was closed')));
  socket.on('secureConnect', () => {
    const { valid_to } = socket.getPeerCertificate();
    const fault = socket.authorizationError as Error | string | null | undefined;
    resolve({
      problem: socket.authorized ? null : String(fault ?? 'it is not trusted'),
      expires: Date.parse(valid_to),
    });
    socket.destroy();
  });
  return promise;
}
