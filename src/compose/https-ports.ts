import type { Secrets } from '../auth/secrets.ts';
import type { Config } from '../config/options.ts';
import { findCertificate, findTlsProof } from '../storage/certificates.ts';
import type { Queries } from '../storage/schema.ts';
import type { Log } from '../telemetry/log.ts';
import type { HttpsPorts } from '../visit/connection/listener.ts';
import { expiryOf, isFor, readCertificate } from '../visit/tls/certificate-files.ts';
import { CertificateFinder, type Found } from '../visit/tls/certificate-finder.ts';
import type { CertificatePair } from '../visit/tls/secure-context.ts';
import { TlsPort } from '../visit/tls/tls-port.ts';
import { watchCertificate } from '../visit/tls/watched-files.ts';
import { hstsLine } from './https-rules.ts';

interface Parts {
  readonly config: Config;
  readonly log: Log;
  readonly now: () => number;
  readonly watchInterval?: number | undefined;
  /** How long a handshake waits for a certificate that is being ordered. */
  readonly handshakeTimeout?: number | undefined;
}

export interface Https extends HttpsPorts {
  stop(): void;
  /** For certificates from the store: from now on they are found there. Handshakes wait for this. */
  open?(parts: StoredCertificates): CertificateFinder;
}

/** Throws a `StartProblem` if the certificate files can't be used. */
export const httpsPorts = (parts: Parts): Https =>
  parts.config.https === 'auto' ? fromStore(parts) : fromFiles(parts);

interface StoredCertificates {
  readonly ownHost: string;
  readonly lookup: Queries;
  readonly secrets: Secrets;
  readonly isServed: (host: string) => boolean | Promise<boolean>;
  readonly request: (host: string) => void;
}

function fromStore({ config, now, handshakeTimeout }: Parts): Https {
  const { promise, resolve } = Promise.withResolvers<CertificateFinder>();
  let opened: CertificateFinder | null = null;
  let defaultCertificate = '';
  const tls = new TlsPort(null, (name, address) =>
    opened === null ? promise.then((finder) => finder.find(name, address)) : opened.find(name, address),
  );
  return {
    open({ ownHost, lookup, secrets, isServed, request }) {
      const load = async (host: string) => {
        const found = await foundIn(lookup, secrets, host, now());
        // For clients that name no host. A listener with a new certificate resumes no earlier session.
        if (
          host === ownHost &&
          found.kind === 'certificate' &&
          found.pair.certificate !== defaultCertificate
        ) {
          tls.use(found.pair);
          defaultCertificate = found.pair.certificate;
        }
        return found;
      };
      opened = new CertificateFinder({
        isServed,
        load,
        request,
        now,
        ...(handshakeTimeout === undefined ? {} : { timeout: handshakeTimeout }),
      });
      resolve(opened);
      return opened;
    },
    openTls: tls.open,
    httpPort: config.httpPort,
    headLine: hstsLine(config),
    stop() {},
  };
}

/** Milliseconds: an order that is retried within them is worth waiting for. */
const shortRetry = 5_000;

export async function foundIn(lookup: Queries, secrets: Secrets, host: string, now: number): Promise<Found> {
  const row = await findCertificate(lookup, host);
  const key = row?.sealed_key == null ? null : secrets.open(row.sealed_key);
  const hasFailed = row !== undefined && row.problem !== null && row.chain === null;
  // While a renewal is validated in a handshake, every client gets the challenge certificate, because the authority must get it.
  const challenge = row?.claimed_until == null ? null : await proofIn(lookup, host, hasFailed, now);
  if (challenge !== null) return challenge;
  if (row?.chain != null && key !== null)
    return { kind: 'certificate', pair: { certificate: row.chain, key }, until: row.not_after ?? 0 };
  // It is claimed while it is ordered again.
  if (hasFailed && row.claimed_until === null && row.next_at > now + shortRetry) return { kind: 'refused' };
  return (await proofIn(lookup, host, hasFailed, now)) ?? { kind: 'none', hasFailed };
}

async function proofIn(
  lookup: Queries,
  host: string,
  hasFailed: boolean,
  now: number,
): Promise<Found | null> {
  const proof = await findTlsProof(lookup, host, now);
  return proof?.certificate == null || proof.private_key === null
    ? null
    : { kind: 'proof', pair: { certificate: proof.certificate, key: proof.private_key }, hasFailed };
}

function fromFiles({ config, log, now, watchInterval }: Parts): Https {
  const { tlsCert, tlsKey, baseUrl, httpPort } = config;
  const files = { certificate: tlsCert ?? '', key: tlsKey ?? '' };
  const first = readCertificate(files, now());
  const host = baseUrl?.hostname ?? '';
  const logPair = (event: string, pair: CertificatePair) => {
    log.info(event, { file: files.certificate, until: new Date(expiryOf(pair)).toISOString() });
    if (!isFor(pair, host)) log.warn('certificate for other names', { file: files.certificate, host });
  };
  logPair('certificate read', first);
  const tls = new TlsPort(first);
  const stop = watchCertificate(files, {
    now,
    onChange: (pair) => {
      tls.use(pair);
      logPair('certificate changed', pair);
    },
    onProblem: (problem) => log.warn('certificate not changed', { problem }),
    ...(watchInterval === undefined ? {} : { interval: watchInterval }),
  });
  return { openTls: tls.open, httpPort, headLine: hstsLine(config), stop };
}
