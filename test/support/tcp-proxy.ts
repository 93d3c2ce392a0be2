import { connect, createServer, type Server, type Socket } from 'node:net';

/** Observes the bytes of one connection. */
export type Tap = (near: Socket, far: Socket) => void;

/** A TCP proxy to the database that can be stopped and restarted, and observed. */
export class TcpProxy {
  readonly #target: URL;
  readonly #tap: Tap;
  readonly #ends = new Set<Socket>();
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
    this.#server = createServer((near) => {
      const far = connect(Number(this.#target.port), this.#target.hostname);
      this.#tap(near, far);
      for (const [end, partner] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#ends.add(end);
        end.on('error', () => {}).on('close', () => partner.destroy());
        end.pipe(partner);
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
    for (const end of this.#ends) end.destroy();
    this.#ends.clear();
    await closed;
  }
}
