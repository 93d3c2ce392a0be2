import type { Config } from '../../config/options.ts';
import { limitedNetwork } from '../../http/client-address.ts';
import type { ClientByPort } from '../../http/client-by-port.ts';
import { Connection, type Express, type Lane } from './connection.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import { ConnectionTable } from './connection-table.ts';
import { keepDescriptorReserve } from './descriptor-reserve.ts';
import { Guard, type OnFault } from './guard.ts';
import { openPort, type Receiver, type VisitorPort } from './port.ts';
import { portProblem } from './port-problem.ts';
import { UpstreamSlots } from './upstream-slots.ts';

const usualIdleTime = 10_000;
const readingTime = 5;

export const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** What is put off until all that came in a turn has been looked at. */
interface TurnsEnd {
  /** What answers wait for. */
  readonly tasks: (() => void)[];
  readonly leaving: Connection[];
  readonly continuing: Connection[];
}

interface Overrides {
  readonly open?: typeof openPort;
  readonly idleTime?: number;
}

const take = (connection: Connection, bytes: Buffer): void => connection.take(bytes);
const drained = (connection: Connection): void => connection.drained();
const ended = (connection: Connection): void => connection.ended();
const closed = (connection: Connection): void => connection.closed();
const leave = (connection: Connection): void => connection.leave();
const goOn = (connection: Connection): void => connection.goOnInTurn();
const endIfIdle = (connection: Connection): void => connection.endIfIdle();
const endIfAsleep = (connection: Connection): void => connection.endIfAsleep();
const terminate = (connection: Connection): void => connection.terminate();
const refuse = (connection: Connection): void => connection.refuse();

/** Where visitors connect: the express lane, and the way to the server behind for what isn't on it. */
export class Listener {
  readonly #port: VisitorPort;
  readonly #host: string;
  readonly #guard: Guard;
  readonly #connections: ConnectionTable<Connection>;
  readonly #sweeping: Timer;
  readonly #keepingRoom: Timer;
  #express: Express = () => null;
  #nextEnd: TurnsEnd | null = null;
  #dateSecond = 0;
  #headEnd = '';

  constructor(
    config: Pick<Config, 'port' | 'host' | 'workers' | 'trustedProxies'>,
    behind: { readonly port: number; readonly peers: ClientByPort },
    limits: ConnectionLimits,
    onFault: OnFault,
    { open = openPort, idleTime = usualIdleTime }: Overrides = {},
  ) {
    const guard = new Guard(onFault);
    this.#guard = guard;
    const limitedAs = (peer: string) => limitedNetwork(peer, config.trustedProxies);
    this.#connections = new ConnectionTable(limits, limitedAs);
    const lane: Lane = {
      slots: new UpstreamSlots(limits, limitedAs),
      innerPort: behind.port,
      peers: behind.peers,
      guard,
      express: (request, peer) => this.#express(request, peer),
      headEnd: () => this.#headEndNow(),
      leaveAfterTurn: (connection) => void this.#turnsEnd().leaving.push(connection),
      continueAfterTurn: (connection) => void this.#turnsEnd().continuing.push(connection),
    };
    // Null for one that was let go of before it began.
    const receiver: Receiver<Connection | null> = {
      opened: (socket) => {
        // Reset before it was accepted: there is no address any more, whatever the type says.
        if (!socket.remoteAddress) {
          queueMicrotask(() => socket.terminate());
          return null;
        }
        try {
          const connection = new Connection(socket, lane);
          // Not before the socket knows whose it is.
          if (!this.#connections.add(connection, socket.remoteAddress))
            queueMicrotask(() => guard.run(connection, refuse));
          return connection;
        } catch (cause) {
          guard.fail(socket, cause);
          return null;
        }
      },
      received: (connection, bytes) => {
        if (connection !== null) guard.run(connection, take, bytes);
      },
      drained: (connection) => {
        if (connection !== null) guard.run(connection, drained);
      },
      ended: (connection) => {
        if (connection !== null) guard.run(connection, ended);
      },
      closed: (connection) => {
        if (connection === null) return;
        this.#connections.remove(connection);
        guard.run(connection, closed);
      },
      failed: (connection, cause) => {
        if (connection !== null) guard.fail(connection, cause);
      },
    };
    const { host, port, workers } = config;
    this.#host = host;
    const place = { hostname: host, port, reusePort: workers > 1 };
    try {
      this.#port = open(place, receiver);
    } catch (cause) {
      throw portProblem(config, cause);
    }
    this.#sweeping = setInterval(() => {
      for (const connection of this.#connections) guard.run(connection, endIfAsleep);
    }, idleTime);
    this.#keepingRoom = keepDescriptorReserve(limits.total, this.#connections, guard);
  }

  get port(): number {
    return this.#port.port;
  }

  get origin(): string {
    return originOf(this.#host, this.port);
  }

  /** Calls this once all that came in this turn has been looked at. */
  afterTurn(task: () => void): void {
    this.#turnsEnd().tasks.push(task);
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
    clearInterval(this.#keepingRoom);
    // What a visitor has sent may still wait to be read.
    await Bun.sleep(readingTime);
    for (;;) {
      this.#endIdle();
      const isBusy = [...this.#connections].some((connection) => connection.isBusy);
      if (!isBusy || performance.now() >= deadline) return;
      await Bun.sleep(readingTime);
    }
  }

  async endConnections(): Promise<void> {
    for (let waited = 0; this.#connections.size > 0 && waited < 50; waited++) {
      this.#endIdle();
      await Bun.sleep(2);
    }
    for (const connection of this.#connections) this.#guard.run(connection, terminate);
    this.#port.close();
  }

  #endIdle(): void {
    for (const connection of this.#connections) this.#guard.run(connection, endIfIdle);
  }

  #turnsEnd(): TurnsEnd {
    if (this.#nextEnd === null) {
      this.#nextEnd = { tasks: [], leaving: [], continuing: [] };
      this.#port.afterTurn(this.#endTurn);
    }
    return this.#nextEnd;
  }

  /**
   * All in one go, in this order: what answers wait for, those answers, and only then what makes more of both. Those are
   * for the next turn's end: no answer leaves with others for whom it has happened, and nobody's waits until others have
   * been served again.
   */
  readonly #endTurn = (): void => {
    const end = this.#nextEnd;
    this.#nextEnd = null;
    if (end === null) return;
    for (const task of end.tasks) {
      try {
        task();
      } catch (cause) {
        this.#guard.report(cause);
      }
    }
    for (const connection of end.leaving) this.#guard.run(connection, leave);
    for (const connection of end.leaving) this.#guard.run(connection, goOn);
    for (const connection of end.continuing) this.#guard.run(connection, goOn);
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
