import { expect, test } from 'bun:test';
import { firstAccount } from '../support/account.ts';
import { hasCaddy, startCaddy } from '../support/caddy.ts';
import { eventually } from '../support/eventually.ts';
import { printFigure } from '../support/figure.ts';
import { freePorts } from '../support/free-ports.ts';
import { storeFolder } from '../support/migrated-store.ts';
import { hasNginx, startNginx } from '../support/nginx.ts';
import { childrenOf, listenersOn } from '../support/processes.ts';
import { runCommand, runServer, stop, temporaryFolder } from '../support/program.ts';

/** `npm run test:faults` restarts more often. */
const restarts = process.env.ROUNDS === undefined ? 2 : Math.min(100, Number(process.env.ROUNDS));
const host = 'links.example.com';
// Caddy selects the certificate by this name.
const tls = { rejectUnauthorized: false, serverName: host };

const json = { 'content-type': 'application/json', host };

async function ownerOf(origin: string, setupToken: string): Promise<{ headers: Record<string, string> }> {
  const { key } = await firstAccount(origin, { headers: { host }, tls, setupToken });
  return { headers: { ...json, 'api-key': key } };
}

/** Milliseconds between a client's calls: the restarts, not the load, should use the CPU. */
const pause = process.env.ROUNDS === undefined ? 50 : 20;

/** Calls repeatedly until stopped by the returned function, which counts the results by status or error. */
function callRepeatedly(calls: readonly (() => Promise<Response>)[]) {
  const seen: Record<string, number> = {};
  let isOver = false;
  const running = calls.map(async (call) => {
    while (!isOver) {
      const outcome = await call().then(
        async (response) => {
          const text = await response.text();
          // The body of an error has its reason.
          return response.status < 400 ? String(response.status) : `${response.status} ${text.slice(0, 300)}`;
        },
        (cause) => String((cause as { code?: string }).code ?? cause),
      );
      seen[outcome] = (seen[outcome] ?? 0) + 1;
      await Bun.sleep(pause);
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(running);
    return seen;
  };
}

const routes = ['directly', ...(hasNginx ? ['behind nginx'] : []), ...(hasCaddy ? ['behind Caddy'] : [])];
/** The routes that are tested together: in the short form all of them, with the same restarts. */
const turns = process.env.ROUNDS === undefined ? [routes] : routes.map((route) => [route]);

/** The HTTPS port of the proxy; null without one. */
async function proxyOf(
  route: string,
  directUrl: string,
  stack: AsyncDisposableStack,
): Promise<number | null> {
  if (route === 'directly') return null;
  if (route === 'behind nginx') return stack.use(await startNginx(host, directUrl)).httpsPort;
  const folder = stack.use(await temporaryFolder());
  const { httpsPort } = stack.use(await startCaddy(folder.path, host, directUrl));
  const isServing = () =>
    fetch(`https://127.0.0.1:${httpsPort}/healthz`, { headers: { host }, tls }).then(
      ({ status }) => status === 200,
      () => false,
    );
  await eventually(isServing, 'Caddy to serve');
  return httpsPort;
}

test.each(turns.map((together) => [together.join(' and '), together] as const))(
  'two workers restarted one after the other, %s, fail no visit and no creation',
  async (name, together) => {
    await using data = await storeFolder();
    const [port = 0] = freePorts(1);
    const settings = {
      PORT: String(port),
      DATA_DIR: data.path,
      MISS_LIMIT: '0',
      WORKERS: '2',
      DRAIN_SECONDS: '1',
      BASE_URL: `https://${host}`,
      TRUSTED_PROXIES: '1',
    };
    const program = runServer(settings);
    await using _ = { [Symbol.asyncDispose]: async () => program.kill('SIGTERM') };
    const url = await program.address();
    const directUrl = `http://127.0.0.1:${port}`;
    expect(url).toContain(host);
    await using proxies = new AsyncDisposableStack();
    const origins = await Promise.all(
      together.map(async (route) => {
        const httpsPort = await proxyOf(route, directUrl, proxies);
        return httpsPort === null ? directUrl : `https://127.0.0.1:${httpsPort}`;
      }),
    );
    const tokenCommand = runCommand(['setup', 'token'], settings);
    await tokenCommand.exited;
    const { headers } = await ownerOf(directUrl, tokenCommand.output().out.trim());
    const body = JSON.stringify({ destination_url: 'https://example.com/', suffix: 'rolling' });
    expect((await fetch(`${directUrl}/api/v1/link`, { method: 'POST', headers, body })).status).toBe(201);

    const callsTo = (origin: string) => {
      const visit = (keepalive: boolean) => () =>
        fetch(`${origin}/rolling`, { headers: { host }, redirect: 'manual', keepalive, tls });
      const create = () =>
        fetch(`${origin}/api/v1/link?disable_png=true`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ destination_url: 'https://example.com/' }),
          tls,
        });
      return callRepeatedly([visit(true), visit(true), visit(false), visit(false), create, create]);
    };
    const calls = origins.map(callsTo);
    const readiness = origins.map((origin) =>
      callRepeatedly([() => fetch(`${origin}/readyz`, { headers: { host }, tls })]),
    );
    for (let restart = 0; restart < restarts; restart++) {
      const [first = 0] = childrenOf(program.pid);
      process.kill(first, 'SIGTERM');
      await eventually(() => !childrenOf(program.pid).includes(first), 'the worker to end');
      await eventually(
        () => program.output().err.split('worker ended').length > restart + 1,
        'its end to be logged',
      );
      await eventually(() => listenersOn(port) === 2, 'the next worker to listen');
    }
    const seen = await Promise.all(calls.map((stop) => stop()));
    const probes = await Promise.all(readiness.map((stop) => stop()));
    printFigure(`${name}, ${restarts} restarts: ${seen.map((each) => JSON.stringify(each)).join(', ')}`);
    expect(seen.map((each) => Object.keys(each).sort())).toEqual(together.map(() => ['201', '302']));
    expect(probes.map((each) => Object.keys(each))).toEqual(together.map(() => ['200']));
    await stop(program);
  },
  3_600_000,
);
