import type { Config } from '../config/options.ts';
import { openPort, type Receiver, type VisitorPort } from '../sockets/port.ts';
import { Connection, type Express, type Lane } from './connection.ts';
import type { Peers } from './peers.ts';
import { portProblem } from './port-problem.ts';

const idleSeconds = 10;
const readingTime = 5;

export const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Where visitors connect: the express lane, and the way to the server behind for what isn't on it. */
export class OuterServer {
  readonly #port: VisitorPort;
  readonly #host: string;
  readonly #connections = new Set<Connection>();
  readonly #sweeping: Timer;
  #express: Express = () => null;
  #leaving: Connection[] = [];
  #dateSecond = 0;
  #headEnd = '';

  constructor(
    config: Pick<Config, 'port' | 'host' | 'workers'>,
    behind: { readonly port: number; readonly peers: Peers },
    onFault: (cause: unknown) => void,
  ) {
    const lane: Lane = {
      innerPort: behind.port,
      peers: behind.peers,
      express: (request, peer) => this.#express(request, peer),
      headEnd: () => this.#headEndNow(),
      leaveAfterTurn: (connection) => this.#leaveAfterTurn(connection),
    };
    const receiver: Receiver<Connection> = {
      opened: (socket) => {
        const connection = new Connection(socket, lane);
        this.#connections.add(connection);
        return connection;
      },
      received: (connection, bytes) => connection.take(bytes),
      drained: (connection) => connection.drained(),
      ended: (connection) => connection.ended(),
      closed: (connection) => {
        this.#connections.delete(connection);
        connection.closed();
      },
      failed: (connection, cause) => {
        onFault(cause);
        connection.terminate();
      },
    };
    const { host, port, workers } = config;
    this.#host = host;
    const place = { hostname: host, port, reusePort: workers > 1 };
    try {
      this.#port = openPort(place, receiver);
    } catch (cause) {
      throw portProblem(config, cause);
    }
    this.#sweeping = setInterval(() => {
      for (const connection of this.#connections) connection.endIfAsleep();
    }, idleSeconds * 1000);
  }

  get port(): number {
    return this.#port.port;
  }

  get origin(): string {
    return originOf(this.#host, this.port);
  }

  /** Calls this once all that came in this turn has been looked at. */
  afterTurn(task: () => void): void {
    this.#port.afterTurn(task);
  }

  /** From now on plain visits are answered by this; until then all go to the server behind. */
  open(express: Express): void {
    this.#express = express;
  }

  /** Takes no new connections, answers what has come on those that are there, and ends them: within so many milliseconds. */
  async stopTaking(patience: number): Promise<void> {
    const deadline = performance.now() + patience;
    this.#port.stop();
    clearInterval(this.#sweeping);
    // What a visitor has sent may still wait to be read.
    await Bun.sleep(readingTime);
    for (;;) {
      for (const connection of this.#connections) connection.endIfIdle();
      const isBusy = [...this.#connections].some((connection) => connection.isBusy);
      if (!isBusy || performance.now() >= deadline) return;
      await Bun.sleep(readingTime);
    }
  }

  async endConnections(): Promise<void> {
    for (let waited = 0; this.#connections.size > 0 && waited < 50; waited++) {
      for (const connection of this.#connections) connection.endIfIdle();
      await Bun.sleep(2);
    }
    for (const connection of this.#connections) connection.terminate();
    this.#port.close();
  }

  #leaveAfterTurn(connection: Connection): void {
    if (this.#leaving.length === 0) this.#port.afterTurn(this.#leave);
    this.#leaving.push(connection);
  }

  readonly #leave = (): void => {
    const leaving = this.#leaving;
    this.#leaving = [];
    for (const connection of leaving) connection.leave();
  };

  #headEndNow(): string {
    const now = Date.now();
    const second = Math.floor(now / 1000);
    if (second !== this.#dateSecond) {
      this.#dateSecond = second;
      this.#headEnd = `Date: ${new Date(now).toUTCString()}\r\n\r\n`;
    }
    return this.#headEnd;
  }
}
