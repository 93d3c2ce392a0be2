import type { Config } from '../config/options.ts';
import type { Log } from '../telemetry/log.ts';
import type { HttpsPorts } from '../visit/connection/listener.ts';
import { endOf, isFor, readCertificate } from '../visit/tls/certificate-files.ts';
import type { CertificatePair } from '../visit/tls/secure-context.ts';
import { TlsPort } from '../visit/tls/tls-port.ts';
import { watchCertificate } from '../visit/tls/watched-files.ts';
import { strictLine } from './https-rules.ts';

interface Parts {
  readonly config: Config;
  readonly log: Log;
  readonly now: () => number;
  readonly watchInterval?: number | undefined;
}

/** The port that speaks TLS with a certificate from files. Throws a `StartProblem` where they can't be used. */
export function httpsPorts({ config, log, now, watchInterval }: Parts): HttpsPorts & { stop(): void } {
  const { tlsCert, tlsKey, baseUrl, httpPort } = config;
  const files = { certificate: tlsCert ?? '', key: tlsKey ?? '' };
  const first = readCertificate(files, now());
  const host = baseUrl?.hostname ?? '';
  const tell = (event: string, pair: CertificatePair) => {
    log.info(event, { file: files.certificate, until: new Date(endOf(pair)).toISOString() });
    if (!isFor(pair, host)) log.warn('certificate for other names', { file: files.certificate, host });
  };
  tell('certificate read', first);
  const tls = new TlsPort(first);
  const stop = watchCertificate(files, {
    now,
    onChange: (pair) => {
      tls.use(pair);
      tell('certificate changed', pair);
    },
    onProblem: (problem) => log.warn('certificate not changed', { problem }),
    ...(watchInterval === undefined ? {} : { interval: watchInterval }),
  });
  return { open: tls.open, httpPort, headLine: strictLine(config), stop };
}
