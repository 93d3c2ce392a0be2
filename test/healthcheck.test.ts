import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { runCommand, temporaryFolder } from './support/program.ts';

test('the health check uses the HTTP port also with HTTPS, and prints the result', async () => {
  await using folder = await temporaryFolder();
  const paths: string[] = [];
  using plainServer = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url);
      paths.push(pathname);
      return new Response('', { status: pathname === '/readyz' ? 503 : 200 });
    },
  });
  const baseSettings = { DATA_DIR: join(folder.path, 'data'), HOST: '127.0.0.1' };
  const https = { HTTPS: 'auto', BASE_URL: 'https://links.example.com', HTTP_PORT: String(plainServer.port) };
  const healthcheck = async (settings: Record<string, string>, ...options: string[]) => {
    const program = runCommand(['healthcheck', ...options], { ...baseSettings, ...settings });
    return [await program.exited, program.output().out + program.output().err];
  };
  const url = `http://127.0.0.1:${plainServer.port}`;
  expect(await healthcheck({ PORT: String(plainServer.port) })).toEqual([0, `${url}/healthz: ok\n`]);
  expect(await healthcheck(https)).toEqual([0, `${url}/healthz: ok\n`]);
  expect(await healthcheck(https, '--ready')).toEqual([1, `${url}/readyz: status 503\n`]);
  // Docker sets these in each container if its configuration has a proxy.
  const proxies = { HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1' };
  expect(await healthcheck({ ...proxies, PORT: String(plainServer.port) })).toEqual([
    0,
    `${url}/healthz: ok\n`,
  ]);
  expect(paths).toEqual(['/healthz', '/healthz', '/readyz', '/healthz']);
});
