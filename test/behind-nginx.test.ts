import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type Newcomer, startApp, type TestApp } from './support/app.ts';
import { selfSigned } from './support/certificate.ts';
import { answerWhen, eventually } from './support/eventually.ts';
import { freePorts } from './support/free-ports.ts';
import { temporaryFolder } from './support/program.ts';

const nginx = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin` });
const host = 'links.example.com';

/** Only where it is installed, as with Caddy. */
describe.skipIf(nginx === null)(
  'behind a real nginx with deploy/nginx.conf (skipped where none is installed)',
  () => {
    let app: TestApp;
    let owner: Newcomer;
    let folder: { path: string } & AsyncDisposable;
    let proxy: Bun.Subprocess;
    let https: number;
    let http: number;
    beforeAll(async () => {
      app = await startApp({ env: { BASE_URL: `https://${host}`, TRUSTED_PROXIES: '1' } });
      owner = await app.newcomer();
      folder = await temporaryFolder();
      [http = 0, https = 0] = freePorts(2);
      const { certificate, key } = selfSigned(host);
      const file = (name: string) => join(folder.path, name);
      await Bun.write(file('fullchain.pem'), certificate);
      await Bun.write(file('privkey.pem'), key);
      const given = await Bun.file(join(import.meta.dir, '..', 'deploy', 'nginx.conf')).text();
      const own = given
        .replaceAll('/etc/letsencrypt/live/links.example.com', folder.path)
        .replaceAll(/listen \[::\].*\n/g, '\n')
        .replace('listen 80;', `listen 127.0.0.1:${http};`)
        .replace('listen 443 ssl;', `listen 127.0.0.1:${https} ssl;`)
        .replace('127.0.0.1:3000', new URL(app.url).host);
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((kind) => `${kind}_temp_path ${file(kind)};`)
        .join(' ');
      await Bun.write(
        file('nginx.conf'),
        `pid ${file('pid')}; error_log ${file('error.log')}; events {} http { access_log off; ${temporary} ${own} }`,
      );
      proxy = Bun.spawn([nginx ?? '', '-c', file('nginx.conf'), '-g', 'daemon off;'], { stderr: 'inherit' });
      await eventually(
        () =>
          visit('/healthz').then(
            ({ status }) => status === 200,
            () => false,
          ),
        'nginx',
      );
    });
    afterAll(async () => {
      proxy?.kill();
      await proxy?.exited;
      await folder?.[Symbol.asyncDispose]();
      await app.stop();
    });

    const visit = (path: string, headers: Record<string, string> = {}) =>
      fetch(`https://127.0.0.1:${https}${path}`, {
        headers: { host, ...headers },
        redirect: 'manual',
        tls: { rejectUnauthorized: false },
      });

    test('links are redirected, and the dashboard, the API and http lead where they should', async () => {
      const body = { destination_url: 'https://shop.example.com/', suffix: 'sale' };
      const made = await app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
      const forged = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http', 'cf-ipcountry': 'FR' };
      const answer = await visit('/sale', forged);
      expect([answer.status, answer.headers.get('location')]).toEqual([302, 'https://shop.example.com/']);
      const clicks = () =>
        app.call('GET', `/api/v1/link/${made.json.id}/clicks?class=all`, { key: owner.key });
      const { json } = await answerWhen(clicks, (found) => found.json.clicks.length === 1, 'the click');
      expect(json.clicks[0].country).not.toBe('FR');
      expect((await visit('/app')).status).toBe(200);
      expect((await visit('/api/v1/link', { 'api-key': owner.key })).status).toBe(200);
      expect((await visit('/internal/tls-allowed?domain=x.example')).status).toBe(404);
      const plain = await fetch(`http://127.0.0.1:${http}/sale?a=b`, {
        headers: { host },
        redirect: 'manual',
      });
      expect([plain.status, plain.headers.get('location')]).toEqual([308, `https://${host}/sale?a=b`]);
    });
  },
);
