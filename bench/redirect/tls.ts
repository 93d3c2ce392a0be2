import { join } from 'node:path';
import { selfSigned } from '../../test/support/certificate.ts';
import { type Contender, linnetCommand, linnetSettings, recordingCommand } from './contenders.ts';
import type { Effort } from './effort.ts';
import { prepareFixture } from './fixture.ts';
import { connections } from './hot.ts';
import { type Measured, measureAlternately } from './rounds.ts';
import { Running } from './running.ts';

export interface Tls {
  /** On kept connections. */
  readonly kept: readonly Measured[];
  /** Each request on a new connection, with a full TLS 1.3 handshake. */
  readonly fresh: readonly Measured[];
}

/** Redirects over TLS, compared with nginx with the same certificate (ECDSA, P-256). Both negotiate AES-256-GCM with wrk. */
export async function measureTls({ links, rounds, seconds }: Effort): Promise<Tls> {
  using fixture = await prepareFixture(links);
  const made = selfSigned('127.0.0.1');
  const files = { certificate: join(fixture.folder, 'tls.crt'), key: join(fixture.folder, 'tls.key') };
  await Bun.write(files.certificate, made.certificate);
  await Bun.write(files.key, made.key);
  const https = (port: number) => ({
    HTTPS: 'files',
    TLS_CERT: files.certificate,
    TLS_KEY: files.key,
    HTTP_PORT: 'off',
    HOST: '127.0.0.1',
    BASE_URL: `https://127.0.0.1:${port}`,
  });
  const contenders: readonly Contender[] = [
    {
      name: 'nginx',
      what: 'nginx with the links in a `map`, and its access_log on.',
      command: [fixture.nginx, '-c', fixture.nginxConfig(3911, undefined, files), '-g', 'daemon off;'],
      port: 3911,
      isSecure: true,
    },
    {
      name: 'Linnet',
      what: 'Linnet with its defaults.',
      command: linnetCommand,
      settings: linnetSettings(3912, fixture.dataDir('tls'), https(3912)),
      port: 3912,
      isSecure: true,
    },
    {
      name: 'Linnet, fold held back',
      what: 'The same, but clicks stay in the journal.',
      command: recordingCommand,
      settings: linnetSettings(3913, fixture.dataDir('tls-unfolded'), { ...https(3913), HITS: 'unfolded' }),
      port: 3913,
      isSecure: true,
    },
  ];
  await using stack = new AsyncDisposableStack();
  const running: Running[] = [];
  for (const contender of contenders) running.push(stack.use(await Running.start(contender)));
  const plan = { seconds, connections, path: `/${fixture.destination.SUFFIX}` };
  return {
    kept: await measureAlternately(running, rounds, plan),
    fresh: await measureAlternately(running, rounds, { ...plan, isFresh: true }),
  };
}
