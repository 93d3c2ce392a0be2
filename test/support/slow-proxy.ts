import type { Socket } from 'bun';

interface Pair {
  other: Socket<Pair> | null;
  waiting: Buffer[];
}

export interface SlowProxy extends AsyncDisposable {
  readonly port: number;
  /** The latency in milliseconds, in each direction. */
  delay: number;
}

/** A TCP proxy to a local port that simulates a slow network. */
export function startSlowProxy(target: number): SlowProxy {
  const proxy = { delay: 0 };
  const pass = (socket: Socket<Pair>, bytes: Buffer) => {
    const copy = Buffer.from(bytes);
    const write = () => {
      const { other, waiting } = socket.data;
      if (other === null) waiting.push(copy);
      else writeAll(other, copy);
    };
    if (proxy.delay === 0) write();
    else setTimeout(write, proxy.delay);
  };
  const close = (socket: Socket<Pair>) => void socket.data.other?.end();
  const upstream = (client: Socket<Pair>) =>
    Bun.connect<Pair>({
      hostname: '127.0.0.1',
      port: target,
      data: { other: client, waiting: [] },
      socket: {
        open(socket) {
          client.data.other = socket;
          for (const bytes of client.data.waiting.splice(0)) writeAll(socket, bytes);
        },
        data: pass,
        close,
        error: close,
      },
    }).catch(() => client.end());
  const server = Bun.listen<Pair>({
    hostname: '127.0.0.1',
    port: 0,
    data: { other: null, waiting: [] },
    socket: {
      open(socket) {
        socket.data = { other: null, waiting: [] };
        void upstream(socket);
      },
      data: pass,
      close,
      error: close,
    },
  });
  return Object.assign(proxy, {
    port: server.port,
    [Symbol.asyncDispose]: async () => server.stop(true),
  });
}

/** Bytes that the socket doesn't accept now are written later. */
function writeAll(socket: Socket<Pair>, bytes: Buffer): void {
  const taken = socket.write(bytes);
  if (taken >= 0 && taken < bytes.length) setTimeout(() => writeAll(socket, bytes.subarray(taken)), 1);
}
