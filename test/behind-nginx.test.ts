import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { headerFindings } from '../src/health/arrival.ts';
import { type Arrival, arrivalHeader, arrivalPath, probeHeader, signArrival } from '../src/rules/arrival.ts';
import { startApp, type TestAccount, type TestApp } from './support/app.ts';
import { pollUntil } from './support/eventually.ts';
import { hasNginx, type Nginx, startNginx } from './support/nginx.ts';

const host = 'links.example.com';

/** Runs only where nginx is installed. */
describe.skipIf(!hasNginx)(
  'behind a real nginx with deploy/nginx.conf (skipped where none is installed)',
  () => {
    let app: TestApp;
    let owner: TestAccount;
    let proxy: Nginx;
    beforeAll(async () => {
      app = await startApp({ env: { BASE_URL: `https://${host}`, TRUSTED_PROXIES: '1' } });
      owner = await app.createAccount();
      proxy = await startNginx(host, app.url);
    });
    afterAll(async () => {
      await proxy?.[Symbol.asyncDispose]();
      await app.stop();
    });

    const visit = (path: string, headers: Record<string, string> = {}) =>
      fetch(`https://127.0.0.1:${proxy.httpsPort}${path}`, {
        headers: { host, ...headers },
        redirect: 'manual',
        tls: { rejectUnauthorized: false },
      });

    test('links and plain HTTP are redirected, the dashboard and the API are served, and what is for proxies is not found', async () => {
      const body = { destination_url: 'https://shop.example.com/', suffix: 'sale' };
      const made = await app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
      const forged = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http', 'cf-ipcountry': 'FR' };
      const response = await visit('/sale', forged);
      expect([response.status, response.headers.get('location')]).toEqual([302, 'https://shop.example.com/']);
      const clicks = () =>
        app.call('GET', `/api/v1/link/${made.json.id}/clicks?class=all`, { key: owner.key });
      const { json } = await pollUntil(clicks, (found) => found.json.clicks.length === 1, 'the click');
      expect(json.clicks[0].country).not.toBe('FR');
      expect((await visit('/app')).status).toBe(200);
      expect((await visit('/api/v1/link', { 'api-key': owner.key })).status).toBe(200);
      expect((await visit('/internal/tls-allowed?domain=x.example')).status).toBe(404);
      const plain = await fetch(`http://127.0.0.1:${proxy.httpPort}/sale?a=b`, {
        headers: { host },
        redirect: 'manual',
      });
      expect([plain.status, plain.headers.get('location')]).toEqual([308, `https://${host}/sale?a=b`]);
    });

    test('the checks of `linnet doctor` see how requests arrive, and find nothing wrong', async () => {
      const signature = signArrival(app.app.context.secrets, app.clock.now);
      const response = await visit(arrivalPath, { [arrivalHeader]: signature, [probeHeader]: 'navigate' });
      expect(response.status).toBe(200);
      const findings = headerFindings(
        (await response.json()) as Arrival,
        { kind: 'hops', count: 1 },
        true,
        `https://${host}`,
      );
      expect(findings.map(({ state }) => state)).toEqual(['ok']);
      // Without a signature.
      expect((await visit(arrivalPath)).status).toBe(404);
    });

    test('a destination of the maximum length is passed on, with what a link forwards', async () => {
      const destination = `https://shop.example.com/?a=${'b'.repeat(8_192 - 'https://shop.example.com/?a='.length)}`;
      const body = { destination_url: destination, suffix: 'long', forward_query: 'merge' };
      await app.call('POST', '/api/v1/link?disable_png=true', { key: owner.key, body });
      const query = `c=${encodeURIComponent('ä'.repeat(1_000))}`;
      const response = await visit(`/long?${query}`);
      expect([response.status, response.headers.get('location')]).toEqual([302, `${destination}&${query}`]);
    });
  },
);
