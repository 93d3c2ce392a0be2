import type { Server, Socket, SocketHandler, TCPSocketListener } from 'bun';
import type { Config } from '../config/options.ts';
import { Connection, type Express, type Lane } from './connection.ts';
import type { Caller } from './front-door.ts';
import type { Peers } from './inner-connection.ts';
import { portProblem } from './port-problem.ts';

type Answer = Response | Promise<Response>;
export type Front = (request: Request, caller: Caller) => Answer;

/** Far above every limit that an endpoint sets: those are checked before a byte is read, and say so in words. */
const largestBody = 1024 * 1024 * 1024;
const idleSeconds = 10;
const drainDeadline = 10_000;
const readingTime = 5;

export interface Listening {
  readonly port: number;
  readonly origin: string;
  /** From now on requests are answered by these. */
  open(front: Front, express: Express): void;
  /** Lets requests that are under way finish, within a deadline, and takes no new ones. */
  drain(): Promise<void>;
}

/** Takes the port at once, so that a taken one is known first, and answers 503 until the rest is up. */
export function listen(
  config: Pick<Config, 'port' | 'host' | 'workers'>,
  onFault: (cause: unknown) => void,
): Listening {
  const peers: Peers = new Map();
  const inner = new InnerServer(peers, onFault);
  try {
    const outer = new OuterServer(config, inner.port, peers, onFault, config.workers > 1);
    return {
      port: outer.port,
      origin: originOf(config.host, outer.port),
      open: (front, express) => {
        inner.open(front);
        outer.open(express);
      },
      async drain() {
        const deadline = performance.now() + drainDeadline;
        await outer.stop(deadline);
        await inner.stop(deadline);
        await outer.finish();
      },
    };
  } catch (cause) {
    void inner.stop(0);
    throw portProblem(config, cause);
  }
}

const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Bun's own server, for everything that is not on the express lane. It is reached through our connections alone. */
class InnerServer {
  readonly #server: Server<undefined>;
  #front: Front = () => new Response('Starting.\n', { status: 503, headers: { 'retry-after': '1' } });

  constructor(peers: Peers, onFault: (cause: unknown) => void) {
    const peerOf = (request: Request, server: Server<undefined>) => {
      const { address, port } = server.requestIP(request) ?? { address: '', port: 0 };
      return address === '127.0.0.1' ? peers.get(port) : undefined;
    };
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: idleSeconds,
      maxRequestBodySize: largestBody,
      fetch: (request, server) => {
        const peer = peerOf(request, server);
        if (peer === undefined) return new Response(null, { status: 403 });
        return this.#front(request, { address: peer, keepOpen: () => server.timeout(request, 0) });
      },
      error: (cause) => {
        onFault(cause);
        return Response.json(
          {
            status_code: 500,
            error_code: 'INTERNAL',
            error_string: 'Something failed on our side. It was logged.',
          },
          { status: 500 },
        );
      },
    });
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  open(front: Front): void {
    this.#front = front;
  }

  async stop(deadline: number): Promise<void> {
    let timer: Timer | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.max(0, deadline - performance.now()));
    });
    await Promise.race([this.#server.stop(), late]);
    clearTimeout(timer);
    await this.#server.stop(true);
  }
}

/** Where visitors connect. */
class OuterServer {
  readonly #listener: TCPSocketListener<Connection>;
  readonly #connections = new Set<Connection>();
  readonly #sweeping: Timer;
  #express: Express = () => null;
  #leaving: Connection[] = [];
  #awaited: Promise<void> | null = null;
  #dateSecond = 0;
  #headEnd = '';

  constructor(
    { host, port }: Pick<Config, 'port' | 'host'>,
    innerPort: number,
    peers: Peers,
    onFault: (cause: unknown) => void,
    reusePort: boolean,
  ) {
    const lane: Lane = {
      innerPort,
      peers,
      express: (request, peer) => this.#express(request, peer),
      headEnd: () => this.#headEndNow(),
      leaveAfter: (kept, connection) => this.#leaveAfter(kept, connection),
    };
    const handler: SocketHandler<Connection, 'buffer'> = {
      open: (socket: Socket<Connection>) => {
        socket.data = new Connection(socket, lane);
        this.#connections.add(socket.data);
      },
      data: ({ data }, bytes) => data.take(bytes),
      drain: ({ data }) => data.drained(),
      end: ({ data }) => data.ended(),
      close: ({ data }) => {
        this.#connections.delete(data);
        data.closed();
      },
      error: ({ data }, cause) => {
        onFault(cause);
        data.terminate();
      },
    };
    const place = { hostname: host, port, allowHalfOpen: true, reusePort };
    this.#listener = Bun.listen<Connection>({ ...place, socket: handler });
    this.#sweeping = setInterval(() => {
      for (const connection of this.#connections) connection.endIfAsleep();
    }, idleSeconds * 1000);
  }

  get port(): number {
    return this.#listener.port;
  }

  open(express: Express): void {
    this.#express = express;
  }

  /** Takes no new connections, answers what has come on those that are there, and ends them. */
  async stop(deadline: number): Promise<void> {
    this.#listener.stop();
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

  async finish(): Promise<void> {
    for (let waited = 0; this.#connections.size > 0 && waited < 50; waited++) {
      for (const connection of this.#connections) connection.endIfIdle();
      await Bun.sleep(2);
    }
    for (const connection of this.#connections) connection.terminate();
    this.#listener.stop(true);
  }

  /** All answers of a tick wait for the same: one look at it is enough. */
  #leaveAfter(kept: Promise<void>, connection: Connection): void {
    this.#leaving.push(connection);
    if (kept === this.#awaited) return;
    this.#awaited = kept;
    kept.then(this.#leave);
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
