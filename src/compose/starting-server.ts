import type { Config } from '../config/options.ts';
import { AppServer } from '../http/app-server.ts';
import { ClientByPort } from '../http/client-by-port.ts';
import type { Log } from '../telemetry/log.ts';
import { connectionLimits } from '../visit/connection/connection-limits.ts';
import { descriptorLimit } from '../visit/connection/descriptor-limit.ts';
import { Listener } from '../visit/connection/listener.ts';

/** How long what has come may take to be answered. */
const patience = 1_000;

/**
 * Tells visitors of a port that workers are going to share that the service is starting, until the first of them listens: a
 * large migration may take minutes. With HTTPS nothing is told, as the certificates are in the store.
 */
export class StartingServer {
  readonly #appServer: AppServer;
  readonly #listener: Listener;

  private constructor(config: Config, log: Log) {
    const report = (cause: unknown) => log.error('request failed', cause);
    const clientByPort = new ClientByPort();
    this.#appServer = new AppServer(clientByPort, report);
    const limits = connectionLimits(config, descriptorLimit());
    this.#listener = new Listener(config, { port: this.#appServer.port, clientByPort }, limits, report);
  }

  /** Null where it can't be told. */
  static open(config: Config, log: Log): StartingServer | null {
    // Only Linux divides connections among those that listen on one port.
    return config.https === 'off' && process.platform === 'linux' ? new StartingServer(config, log) : null;
  }

  async stop(): Promise<void> {
    await this.#listener.stopTaking(patience);
    await this.#appServer.stop(patience);
    await this.#listener.endConnections();
  }
}
