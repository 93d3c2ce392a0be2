import { networkInterfaces } from 'node:os';
import { type App, createApp } from './app.ts';
import { programCommand } from './bundle/module-urls.ts';
import { refuseUnknownHost } from './compose/dns-before-start.ts';
import { dnsNotice } from './compose/dns-notice.ts';
import type { MetricSource } from './compose/metrics.ts';
import { readServeArguments, workerArguments } from './compose/serve-arguments.ts';
import { lockDataFolder } from './compose/server-lock.ts';
import { StartingServer } from './compose/starting-server.ts';
import { startupBanner } from './compose/startup-banner.ts';
import { startVisitorThread } from './compose/visitor-thread-client.ts';
import { MetricsCollector, MetricsOfAll } from './compose/worker-metrics.ts';
import { ConfigProblem, type Environment, loadConfig } from './config/load.ts';
import type { Config } from './config/options.ts';
import { Dns } from './domains/dns.ts';
import { Site } from './rules/site.ts';
import { StartProblem } from './start-problem.ts';
import { withTimeout } from './structures/with-timeout.ts';
import { Log } from './telemetry/log.ts';
import { collectWhenIdle } from './threads/gc-when-idle.ts';
import { lowerPriority } from './threads/lower-priority.ts';
import { reservePort } from './visit/connection/reserve-port.ts';
import { Workers } from './workers/workers.ts';

const startTimeout = 3_000;

type Begin = (config: Config, gather?: MetricSource) => Promise<App>;

/** Starts the server, which runs until a signal stops it. */
export async function serve(words: readonly string[], given: Environment): Promise<void> {
  collectWhenIdle();
  // As for the log: the server runs without what it prints.
  process.stdout.on('error', () => {});
  try {
    const { host, ports, environment } = readServeArguments(words, given);
    const config = loadConfig(environment);
    const typedHost =
      host === null || ports !== null || config.baseUrl === null
        ? null
        : new Site(config.baseUrl).defaultHost;
    if (typedHost !== null) await refuseUnknownHost(typedHost, config, ownAddresses());
    // Once the data plane has its thread, this thread lowers its priority, and so do the threads that it starts from then on (the
    // store's, for example): on a single core, visits come first.
    const startDataPlane = startVisitorThread(environment, lowerPriority);
    const begin: Begin = (config, gather) => createApp(config, {}, startDataPlane, gather);
    if (ports !== null) await serveAsWorker({ ...config, ...ports }, begin);
    else if (config.workers > 1) await runWorkers(config, host);
    else await serveAlone(config, begin);
    if (typedHost !== null) await printDnsNotice(typedHost, config);
  } catch (cause) {
    const isForeseen = cause instanceof ConfigProblem || cause instanceof StartProblem;
    process.stderr.write(
      `${isForeseen ? cause.message : `Linnet could not start: ${(cause as Error).message}`}\n`,
    );
    process.exit(1);
  }
}

/** Called when the server already runs, because a name server may be slow. */
async function printDnsNotice(host: string, { dnsServers }: Config): Promise<void> {
  const dns = new Dns(dnsServers);
  const found = await dns.addressesOf(host);
  dns.close();
  process.stdout.write(`\n  ${dnsNotice(host, found, ownAddresses())}\n`);
}

/** The app of this process. When the public address changes, the app is stopped and created again on the same port. */
class RestartableApp {
  readonly #create: (config: Config) => Promise<App>;
  #current: Promise<App>;

  constructor(config: Config, create: (config: Config) => Promise<App>) {
    this.#create = create;
    this.#current = this.#begin(config);
  }

  get current(): Promise<App> {
    return this.#current;
  }

  async #begin(config: Config): Promise<App> {
    const app = await this.#create(config);
    void app.moved.then(() => this.#restart(app, config));
    return app;
  }

  #restart(previous: App, config: Config): void {
    this.#current = previous.stop().then(() => this.#begin({ ...config, port: previous.port }));
    this.#current.then(
      ({ url }) =>
        process.stdout.write(`\nLinnet is at ${url} from now on, as the first account has set it.\n`),
      (cause: Error) => {
        process.stderr.write(`Linnet could not start again: ${cause.message}\n`);
        process.exit(1);
      },
    );
  }
}

/** The whole program in this process. */
async function serveAlone(config: Config, begin: Begin): Promise<void> {
  const lock = await lockDataFolder(config, new Log(config.logLevel));
  const program = new RestartableApp(config, begin);
  stopOnSignals(async () => {
    await stopOf(program.current, true);
    lock[Symbol.dispose]();
  });
  const app = await program.current;
  lock.listensOn(app.port);
  process.stdout.write(bannerOf(app, config));
}

/** One of several that share a port. It ends with its parent, even if that is killed. */
async function serveAsWorker(config: Config, begin: Begin): Promise<void> {
  const metrics = new MetricsOfAll(
    (message) => void process.send?.(message),
    async () => (await program.current).measure(),
  );
  const program = new RestartableApp(config, (settings) => begin(settings, metrics.gather));
  // A worker that is restarted alone leaves the instance ready: the others answer.
  process.on('message', (message) => {
    if (!metrics.received(message)) void program.current.then((app) => app.setNotReady());
  });
  const stop = stopOnSignals(() => stopOf(program.current));
  process.on('disconnect', stop);
  process.send?.({ greeting: bannerOf(await program.current, config) });
}

/**
 * Visitors may be answered a moment before the start is complete, and their clicks must be stored: so the stop waits for the
 * start first. A start that takes long, because of a large migration, is aborted.
 */
async function stopOf(starting: Promise<App>, isWhole = false): Promise<void> {
  const app = await withTimeout(
    startTimeout,
    starting.catch(() => null),
    () => null,
  );
  if (isWhole) app?.setNotReady();
  await app?.drain();
  await app?.stop();
}

async function runWorkers(config: Config, host: string | null): Promise<void> {
  const log = new Log(config.logLevel);
  const lock = await lockDataFolder(config, log);
  const port = reservePort(config);
  const { https, httpPort } = config;
  const plainPort =
    https === 'off' || httpPort === null ? null : reservePort({ ...config, port: httpPort }, 'HTTP_PORT');
  lock.listensOn(port);
  const command = programCommand(...workerArguments(host, `${port},${plainPort ?? ''}`));
  const metrics = new MetricsCollector(() => workers);
  const workers: Workers = new Workers(
    config.workers,
    command,
    ({ pid, error, ...how }) => {
      if (pid === null) {
        log.warn('worker could not be started', { error });
        return;
      }
      log.warn('worker ended', { pid, ...how });
      metrics.ended(pid);
    },
    Bun.sleep,
    (pid, message) => metrics.received(pid, message),
  );
  let isStopping = false;
  stopOnSignals(async () => {
    isStopping = true;
    await workers.stop();
    lock[Symbol.dispose]();
  });
  const starting = StartingServer.open({ ...config, port, httpPort: plainPort }, log);
  const banner = await workers.start(() => void starting?.stop());
  if (banner !== null) process.stdout.write(banner);
  else if (!isStopping) process.exit(1);
}

/** A terminal sends Ctrl-C to every process, and the parent process passes it on: the second signal must not abort the stop. */
function stopOnSignals(stop: () => Promise<void>): () => Promise<void> {
  let isStopping = false;
  const stopOnce = async () => {
    if (isStopping) return;
    isStopping = true;
    await stop();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stopOnce);
  return stopOnce;
}

function bannerOf({ url, port, setupToken }: App, config: Config): string {
  const isTerminal = process.stdout.isTTY === true;
  return startupBanner({
    url,
    config,
    port: String(port),
    setupToken,
    isTerminal,
    addresses: ownAddresses(),
  });
}

/** IPv4 first: those are easier to type. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  const outside = all.filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0);
  return outside.sort((one, other) => one.family.localeCompare(other.family)).map(({ address }) => address);
}
