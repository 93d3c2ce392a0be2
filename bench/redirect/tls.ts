import { join } from 'node:path';
import { selfSigned } from '../../test/support/certificate.ts';
import { type Contender, linnet, linnetCommand, recordingCommand } from './contenders.ts';
import type { Effort } from './effort.ts';
import { prepareGround } from './ground.ts';
import { connections } from './hot.ts';
import { inTurns, type Measured } from './rounds.ts';
import { Running } from './running.ts';

export interface Tls {
  /** On connections that are kept. */
  readonly kept: readonly Measured[];
  /** Each on a connection of its own, with a full handshake of TLS 1.3. */
  readonly fresh: readonly Measured[];
}

/** The redirect over TLS, beside nginx with the same certificate (ECDSA, P-256). wrk and each of them choose AES-256-GCM. */
export async function measureTls({ links, rounds, seconds }: Effort): Promise<Tls> {
  using ground = await prepareGround(links);
  const made = selfSigned('127.0.0.1');
  const files = { certificate: join(ground.folder, 'tls.crt'), key: join(ground.folder, 'tls.key') };
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
      command: [ground.nginx, '-c', ground.nginxConfig(3911, undefined, files), '-g', 'daemon off;'],
      port: 3911,
      isSecure: true,
    },
    {
      name: 'Linnet',
      what: 'The product with its defaults.',
      command: linnetCommand,
      settings: linnet(3912, ground.dataDir('tls'), https(3912)),
      port: 3912,
      isSecure: true,
    },
    {
      name: 'Linnet, fold held back',
      what: 'The same, but clicks stay in the journal.',
      command: recordingCommand,
      settings: linnet(3913, ground.dataDir('tls-unfolded'), { ...https(3913), HITS: 'unfolded' }),
      port: 3913,
      isSecure: true,
    },
  ];
  await using stack = new AsyncDisposableStack();
  const running: Running[] = [];
  for (const contender of contenders) running.push(stack.use(await Running.start(contender)));
  const plan = { seconds, connections, path: `/${ground.destination.SUFFIX}` };
  return {
    kept: await inTurns(running, rounds, plan),
    fresh: await inTurns(running, rounds, { ...plan, isFresh: true }),
  };
}
