import { afterAll, beforeAll, expect, test } from 'bun:test';
import { AppServer } from '../src/http/app-server.ts';
import { ClientByPort } from '../src/http/client-by-port.ts';
import { Listener } from '../src/visit/connection/listener.ts';
import { noProxies, wideLimits } from './support/both-paths.ts';
import { visitRaw } from './support/raw-http.ts';

const rethrow = (cause: unknown) => {
  throw cause;
};
let appServer: AppServer;
let listener: Listener;

/** Neither is opened, as while the service is still starting. */
beforeAll(() => {
  const clientByPort = new ClientByPort();
  appServer = new AppServer(clientByPort, rethrow);
  const listenAt = { port: 0, host: '127.0.0.1', workers: 1, trustedProxies: noProxies };
  listener = new Listener(listenAt, { port: appServer.port, clientByPort }, wideLimits, rethrow);
});
afterAll(async () => {
  await listener.stopAccepting(0);
  await appServer.stop(0);
  await listener.endConnections();
});

const request = (path: string, method = 'GET') => visitRaw(listener.origin, { path, method });

test.each(['/api', '/api/v1/link', '/api/v1/link?x=y', '/healthz', '/readyz'])(
  'while the service starts, a program that requests %s gets an API error',
  async (path) => {
    for (const method of ['GET', 'POST']) {
      const { status, headers, body } = await request(path, method);
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(JSON.parse(body)).toEqual({
        status_code: 503,
        error_code: 'STARTING',
        error_string: 'The service is starting. Try again in a second.',
      });
    }
  },
);

test('while the service starts, a liveness probe succeeds, so that no supervisor ends a long migration', async () => {
  const { status, body } = await request('/livez');
  expect([status, body]).toEqual([200, '{"status":"live"}']);
});

test.each(['/', '/abc', '/app', '/apiary'])(
  'while the service starts, a visitor of %s gets a page that reloads',
  async (path) => {
    const { status, headers, body } = await request(path);
    expect([status, headers['retry-after'], headers['content-type']]).toEqual([
      503,
      '1',
      'text/html; charset=utf-8',
    ]);
    expect(body).toContain('<title>Starting</title>');
    const head = await request(path, 'HEAD');
    expect([head.status, head.headers['content-length']]).toEqual([503, headers['content-length']]);
  },
);
