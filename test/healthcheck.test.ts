import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { runCommand, temporaryFolder } from './support/program.ts';

test('the health check requests the plain port beside HTTPS, and prints its findings', async () => {
  await using folder = await temporaryFolder();
  const paths: string[] = [];
  using plain = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { pathname } = new URL(request.url);
      paths.push(pathname);
      return new Response('', { status: pathname === '/readyz' ? 503 : 200 });
    },
  });
  const own = { DATA_DIR: join(folder.path, 'data'), HOST: '127.0.0.1' };
  const https = { HTTPS: 'auto', BASE_URL: 'https://links.example.com', HTTP_PORT: String(plain.port) };
  const ask = async (settings: Record<string, string>, ...words: string[]) => {
    const program = runCommand(['healthcheck', ...words], { ...own, ...settings });
    return [await program.exited, program.output().out + program.output().err];
  };
  const url = `http://127.0.0.1:${plain.port}`;
  expect(await ask({ PORT: String(plain.port) })).toEqual([0, `${url}/healthz: ok\n`]);
  expect(await ask(https)).toEqual([0, `${url}/healthz: ok\n`]);
  expect(await ask(https, '--ready')).toEqual([1, `${url}/readyz: status 503\n`]);
  expect(paths).toEqual(['/healthz', '/healthz', '/readyz']);
});
