import type { Config } from '../config/options.ts';
import { AppServer } from '../http/app-server.ts';
import { ClientByPort } from '../http/client-by-port.ts';
import { Log } from '../telemetry/log.ts';
import { connectionLimits } from '../visit/connection/connection-limits.ts';
import { descriptorLimit } from '../visit/connection/descriptor-limit.ts';
import { Listener } from '../visit/connection/listener.ts';
import { type Https, httpsPorts } from './https-ports.ts';

/** Milliseconds in which pending requests may be answered. */
const timeout = 1_000;

/**
 * Answers visitors that the service is starting, on the ports that workers are going to share, until the first worker listens: a
 * large migration may take minutes. With HTTPS=auto only requests without TLS and health checks are answered: the certificates are in
 * the store, which is not open yet, so connections to the other port are refused.
 */
export class StartingServer {
  readonly #appServer: AppServer;
  readonly #listener: Listener;
  readonly #https: Https | null;

  private constructor(config: Config, https: Https | null, log: Log) {
    const report = (cause: unknown) => log.error('request failed', cause);
    const clientByPort = new ClientByPort();
    this.#https = https;
    this.#appServer = new AppServer(clientByPort, report);
    const limits = connectionLimits(config, descriptorLimit());
    const appServer = { port: this.#appServer.port, clientByPort };
    this.#listener = new Listener(config, appServer, limits, report, { https });
  }

  /** Null if no port can be answered on. Throws a `StartProblem` if the certificate files can't be used. */
  static open(config: Config, log: Log): StartingServer | null {
    // Only Linux distributes connections among the processes that listen on one port.
    if (process.platform !== 'linux') return null;
    const { https, httpPort } = config;
    if (https === 'off') return new StartingServer(config, null, log);
    // The workers log what they read.
    if (https === 'files')
      return new StartingServer(config, httpsPorts({ config, log: new Log('error'), now: Date.now }), log);
    return httpPort === null ? null : new StartingServer({ ...config, port: httpPort }, null, log);
  }

  async stop(): Promise<void> {
    this.#https?.stop();
    await this.#listener.stopAccepting(timeout);
    await this.#appServer.stop(timeout);
    await this.#listener.endConnections();
  }
}
