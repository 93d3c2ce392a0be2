import { connect, createServer, type Server, type Socket } from 'node:net';

/** Observes the bytes of one connection. */
export type Tap = (client: Socket, server: Socket) => void;

/** A TCP proxy to the database that can be stopped and restarted, and observed. */
export class TcpProxy {
  readonly #target: URL;
  readonly #tap: Tap;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(target: string, tap: Tap = () => {}) {
    this.#target = new URL(target);
    this.#tap = tap;
  }

  get url(): string {
    const url = new URL(this.#target);
    url.port = String(this.#port);
    return url.href;
  }

  open(): Promise<void> {
    this.#server = createServer((client) => {
      const server = connect(Number(this.#target.port), this.#target.hostname);
      this.#tap(client, server);
      for (const [socket, peer] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => {}).on('close', () => peer.destroy());
        socket.pipe(peer);
      }
    });
    return new Promise((resolve) => {
      this.#server?.listen(this.#port, '127.0.0.1', () => {
        const address = this.#server?.address();
        this.#port = typeof address === 'object' && address ? address.port : 0;
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
    await closed;
  }
}
