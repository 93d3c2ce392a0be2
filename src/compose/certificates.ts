import { readFileSync } from 'node:fs';
import { Issuer } from '../certificates/issuer.ts';
import type { Config } from '../config/options.ts';
import type { IncomingRequest } from '../http/router.ts';
import type { Site } from '../rules/site.ts';
import { StartProblem } from '../start-problem.ts';
import { findHttpProof } from '../storage/certificates.ts';
import type { Database } from '../storage/database.ts';
import type { Store } from '../store.ts';
import { isRefusedName } from '../visit/tls/certificate-finder.ts';
import { RefusedNames } from '../visit/tls/refused-names.ts';
import type { DataPlane } from './data-plane.ts';
import { foundIn } from './https-ports.ts';
import { logFault, repeatWhileOpen } from './repeat-job.ts';
import type { Start } from './start.ts';

/** Orders certificates for visited host names. `changed` notifies this node's caches. */
export function startIssuer(
  start: Start,
  { database, secrets }: Store,
  site: Site,
  dataPlane: DataPlane,
  changed: (host: string, isIssued: boolean) => Promise<void>,
): void {
  const { config, log, now, opened } = start;
  if (config.https !== 'auto') return;
  const report = logFault(log, 'certificates not looked after');
  const issuer = new Issuer({
    database,
    secrets,
    settings: {
      url: config.acmeUrl,
      email: config.acmeEmail,
      externalAccount: externalAccountOf(config),
      trusted: trustedBy(config),
    },
    ownHost: site.defaultHost,
    hasHttpPort: config.httpPort !== null,
    now,
    random: Math.random,
    log,
    changed: (host, isIssued) => void changed(host, isIssued).catch(report),
  });
  dataPlane.onCertificateRequested((host) => void issuer.request(host).catch(report));
  void issuer.request(site.defaultHost).catch(report);
  repeatWhileOpen(start, () => issuer.work(), 'issueInterval', report);
  opened.defer(() => issuer.stop());
}

function externalAccountOf({ acmeEabKid, acmeEabKey }: Config) {
  return acmeEabKid === null || acmeEabKey === null ? null : { id: acmeEabKid, key: acmeEabKey };
}

function trustedBy({ acmeCa }: Config): string | null {
  if (acmeCa === null) return null;
  try {
    return readFileSync(acmeCa, 'utf8');
  } catch (cause) {
    throw new StartProblem(
      `ACME_CA is "${acmeCa}", which can not be read (${(cause as Error).message}). Give a PEM file, or leave it out.`,
    );
  }
}

/** For the app server: the data plane may be in another thread. Null where certificates don't come from the store. */
export const refusedNamesOf = (
  { https }: Pick<Config, 'https'>,
  { database, secrets }: Store,
  now: () => number,
): RefusedNames | null =>
  https === 'auto'
    ? new RefusedNames(
        async (host) => isRefusedName(await foundIn(database.lookup, secrets, host, now())),
        now,
      )
    : null;

const proofPath = '/.well-known/acme-challenge/';

/** Answers an authority's HTTP-01 challenges. Null for all other requests. */
export const httpProof =
  ({ https }: Pick<Config, 'https'>, database: Database) =>
  ({ path, host }: IncomingRequest): Promise<Response> | null => {
    if (https !== 'auto' || !path.startsWith(proofPath)) return null;
    return answerProof(database, host, path.slice(proofPath.length));
  };

async function answerProof(database: Database, host: string, token: string): Promise<Response> {
  const headers = { 'content-type': 'text/plain', 'cache-control': 'no-store' };
  try {
    const answer = await findHttpProof(database.lookup, host, token);
    return new Response(answer, { status: answer === null ? 404 : 200, headers });
  } catch {
    return new Response(null, { status: 503, headers });
  }
}
