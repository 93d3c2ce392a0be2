import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts } from './free-ports.ts';

const program = Bun.which('caddy');
export const hasCaddy = program !== null;

const run = (words: readonly string[], folder: string, settings: Record<string, string> = {}) =>
  Bun.spawn([program ?? '', ...words], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      ...settings,
    },
    stdout: 'ignore',
    stderr: Bun.file(join(folder, 'caddy.log')),
  });

const caddyfile = join(import.meta.dir, '..', '..', 'deploy', 'Caddyfile');

/** Runs `caddy adapt` on deploy/Caddyfile without a host: its exit code and its output. */
export async function adaptCaddyfile(folder: string): Promise<[number, string]> {
  const code = await run(['adapt', '--adapter', 'caddyfile', '--config', caddyfile], folder).exited;
  return [code, await readFile(join(folder, 'caddy.log'), 'utf8')];
}

export interface Caddy extends AsyncDisposable {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The root of its certificates; rejects until Caddy has created it. */
  root(): Promise<string>;
}

/** A real Caddy with deploy/Caddyfile and a local CA, in front of the server at `url`. */
export async function startCaddy(folder: string, host: string, url: string): Promise<Caddy> {
  const [httpPort = 0, httpsPort = 0] = freePorts(2);
  const local = `{\n\tlocal_certs\n\tskip_install_trust\n\tadmin off\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n`;
  const file = join(folder, 'Caddyfile');
  await Bun.write(file, (await readFile(caddyfile, 'utf8')).replace(/^\{\n/m, local));
  const settings = { LINNET_HOST: host, LINNET_UPSTREAM: new URL(url).host };
  const proxy = run(['run', '--adapter', 'caddyfile', '--config', file], folder, settings);
  return {
    httpPort,
    httpsPort,
    root: () => readFile(join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8'),
    async [Symbol.asyncDispose]() {
      proxy.kill();
      await proxy.exited;
    },
  };
}
