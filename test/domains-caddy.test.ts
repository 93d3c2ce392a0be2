import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { request } from 'node:https';
import { connect } from 'node:tls';
import { browserUserAgent, startApp, type TestAccount, type TestApp } from './support/app.ts';
import { adaptCaddyfile, type Caddy, hasCaddy, startCaddy } from './support/caddy.ts';
import { pollUntil } from './support/eventually.ts';
import { type NameServer, type Names, startNameServer, zoneOf } from './support/name-server.ts';
import { temporaryFolder } from './support/program.ts';

const ownHost = 'links.example.com';
const customDomain = 'go.example.org';

/** Runs only where Caddy is installed: it is written in another language, so no npm package installs it. */
describe.skipIf(!hasCaddy)(
  'behind a real Caddy with deploy/Caddyfile (skipped where none is installed)',
  () => {
    const names: Names = { [ownHost]: { A: ['192.0.2.1'] } };
    let dns: NameServer;
    let app: TestApp;
    let owner: TestAccount;
    let folder: { path: string } & AsyncDisposable;
    let proxy: Caddy;
    let root: string;

    beforeAll(async () => {
      dns = await startNameServer(zoneOf(names));
      app = await startApp({
        env: {
          BASE_URL: `https://${ownHost}`,
          TRUSTED_PROXIES: '1',
          DNS_SERVERS: dns.address,
          MISS_LIMIT: '5',
        },
      });
      owner = await app.createAccount();
      await verify(customDomain);
      folder = await temporaryFolder();
      proxy = await startCaddy(folder.path, ownHost, app.url);
      root = await eventuallyReturns(async () => {
        const found = await proxy.root();
        await handshake(ownHost, found);
        return found;
      });
    }, 240_000);
    afterAll(async () => {
      await proxy?.[Symbol.asyncDispose]();
      await folder?.[Symbol.asyncDispose]();
      await app.stop();
      await dns.stop();
      expect(app.faults).toEqual([]);
    });

    async function verify(domain: string): Promise<number> {
      const { json } = await app.call('POST', '/api/v1/domain', { key: owner.key, body: { domain } });
      names[json.records[0].name] = { TXT: [json.records[0].value] };
      const after = await app.call('POST', `/api/v1/domain/${json.id}/verify`, { key: owner.key });
      expect(after.json.state).toBe('verified');
      return json.id;
    }

    /** The names in the certificate; fails if the root didn't sign one. */
    const handshake = (servername: string, ca = root): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port: proxy.httpsPort, servername, ca }, () => {
          resolve(socket.getPeerCertificate().subjectaltname ?? '');
          socket.destroy();
        });
        socket.setTimeout(60_000, () => socket.destroy(new Error('timed out')));
        socket.on('error', reject);
        socket.on('close', () => reject(new Error('closed')));
      });

    const refusal = (servername: string): Promise<string> =>
      handshake(servername).then(
        (certificate) => `got ${certificate}`,
        () => 'refused',
      );

    function visit(host: string, path: string, headers: Record<string, string> = {}) {
      return new Promise<{ status: number; location: string | undefined; body: string }>(
        (resolve, reject) => {
          const sent = request(
            {
              host: '127.0.0.1',
              port: proxy.httpsPort,
              servername: host,
              ca: root,
              agent: false,
              path,
              headers: { host, 'user-agent': browserUserAgent, ...headers },
            },
            (response) => {
              let body = '';
              response.setEncoding('utf8');
              response.on('data', (part: string) => {
                body += part;
              });
              response.on('end', () =>
                resolve({ status: response.statusCode ?? 0, location: response.headers.location, body }),
              );
            },
          );
          sent.on('error', reject);
          sent.end();
        },
      );
    }

    test("the service's own host and a verified domain each get a certificate", async () => {
      expect(await handshake(ownHost)).toBe(`DNS:${ownHost}`);
      expect(await handshake(customDomain)).toBe(`DNS:${customDomain}`);
    });

    test("the service's own host is served by its own block, without calling the endpoint", async () => {
      expect((await app.call('GET', `/internal/tls-allowed?domain=${ownHost}`)).status).toBe(404);
      const { status, body } = await visit(ownHost, '/app');
      expect([status, body.includes('<html')]).toEqual([200, true]);
      expect((await visit(ownHost, '/healthz')).status).toBe(200);
    });

    test('a domain that is pending, unknown, deleted or only related to a known one gets no certificate', async () => {
      await app.call('POST', '/api/v1/domain', { key: owner.key, body: { domain: 'pending.example.org' } });
      const deleted = await verify('deleted.example.org');
      await app.call('DELETE', `/api/v1/domain/${deleted}`, { key: owner.key });
      for (const host of [
        'pending.example.org',
        'unknown.example.org',
        'deleted.example.org',
        `x.${customDomain}`,
        `x.${ownHost}`,
        'example.org',
      ])
        expect([host, await refusal(host)]).toEqual([host, 'refused']);
      const pending = (await app.call('GET', '/api/v1/domain', { key: owner.key })).json.at(-1);
      names['_linnet.pending.example.org'] = { TXT: [pending.records[0].value] };
      await app.call('POST', `/api/v1/domain/${pending.id}/verify`, { key: owner.key });
      expect(await handshake('pending.example.org')).toBe('DNS:pending.example.org');
    });

    test('links redirect on the custom domain, and headers that visitors forge are not trusted', async () => {
      const body = { destination_url: 'https://destination.example/', domain: customDomain, suffix: 'offer' };
      const made = await app.call('POST', '/api/v1/link', { key: owner.key, body });
      const forgedHeaders = {
        'x-forwarded-for': '9.9.9.9',
        'cf-ipcountry': 'FR',
        'x-country-code': 'FR',
        forwarded: 'for=9.9.9.9',
      };
      const { status, location } = await visit(customDomain, '/offer', forgedHeaders);
      expect([status, location]).toEqual([302, 'https://destination.example/']);
      const { clicks } = await eventuallyReturns(async () => {
        const { json } = await app.call('GET', `/api/v1/link/${made.json.id}/clicks?class=all`, {
          key: owner.key,
        });
        if (json.clicks.length === 0) throw new Error('no click yet');
        return json;
      });
      expect(clicks[0].country).not.toBe('FR');

      const statuses: number[] = [];
      for (let visitor = 1; visitor <= 7; visitor++) {
        const host = visitor % 2 === 0 ? ownHost : customDomain;
        const response = await visit(host, `/guess${visitor}`, { 'x-forwarded-for': `9.9.${visitor}.9` });
        statuses.push(response.status);
      }
      expect(statuses.slice(-2)).toEqual([429, 429]);
    });

    test('without the name of its own host Caddy does not start', async () => {
      await using own = await temporaryFolder();
      const [code, message] = await adaptCaddyfile(own.path);
      expect([code, message]).toEqual([1, expect.stringContaining('server block without any key')]);
    });

    test('unencrypted requests are redirected to https', async () => {
      for (const host of [ownHost, customDomain]) {
        const { status, headers } = await fetch(`http://127.0.0.1:${proxy.httpPort}/offer`, {
          headers: { host },
          redirect: 'manual',
        });
        expect([status, headers.get('location')]).toEqual([308, `https://${host}/offer`]);
      }
    });
  },
);

/** Retries until it works, for as long as a machine under load may take. */
const eventuallyReturns = <T>(attempt: () => Promise<T>): Promise<T> =>
  pollUntil(
    () =>
      attempt().then(
        (value) => ({ value }),
        (cause: Error) => ({ cause: cause.message }),
      ),
    (outcome) => 'value' in outcome,
    'an attempt that works',
  ).then((outcome) => (outcome as { value: T }).value);
