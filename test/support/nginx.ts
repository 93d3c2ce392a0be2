import { join } from 'node:path';
import { selfSigned } from './certificate.ts';
import { eventually } from './eventually.ts';
import { freePorts } from './free-ports.ts';
import { temporaryFolder } from './program.ts';

const program = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` });
export const hasNginx = program !== null;

export interface Nginx extends AsyncDisposable {
  readonly httpsPort: number;
  readonly httpPort: number;
}

/** A real nginx with deploy/nginx.conf, in front of the server at `url`. */
export async function startNginx(host: string, url: string): Promise<Nginx> {
  const folder = await temporaryFolder();
  const [httpPort = 0, httpsPort = 0] = freePorts(2);
  const { certificate, key } = selfSigned(host);
  const file = (name: string) => join(folder.path, name);
  await Bun.write(file('fullchain.pem'), certificate);
  await Bun.write(file('privkey.pem'), key);
  const config = await Bun.file(join(import.meta.dir, '..', '..', 'deploy', 'nginx.conf')).text();
  const localConfig = config
    .replaceAll('/etc/letsencrypt/live/links.example.com', folder.path)
    .replaceAll(/listen \[::\].*\n/g, '\n')
    .replace('listen 80;', `listen 127.0.0.1:${httpPort};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${httpsPort} ssl;`)
    .replace('http://127.0.0.1:3000;', `${new URL(url).origin};`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${file(kind)};`)
    .join(' ');
  await Bun.write(
    file('nginx.conf'),
    `pid ${file('pid')}; error_log ${file('error.log')}; events {} http { access_log off; ${temporary} ${localConfig} }`,
  );
  const proxy = Bun.spawn([program ?? '', '-c', file('nginx.conf'), '-g', 'daemon off;'], {
    stderr: 'inherit',
  });
  await eventually(() => {
    if (proxy.exitCode !== null) throw new Error('nginx has ended');
    return fetch(`https://127.0.0.1:${httpsPort}/healthz`, {
      headers: { host },
      tls: { rejectUnauthorized: false },
    }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }, 'nginx');
  return {
    httpPort,
    httpsPort,
    async [Symbol.asyncDispose]() {
      proxy.kill();
      await proxy.exited;
      await folder[Symbol.asyncDispose]();
    },
  };
}
