import type { Socket } from 'bun';

interface Pair {
  peer: Socket<Pair> | null;
  unsent: Buffer[];
}

export interface SlowProxy extends AsyncDisposable {
  readonly port: number;
  /** The latency in milliseconds, in each direction. */
  delay: number;
}

/** A TCP proxy to a local port that simulates a slow network. */
export function startSlowProxy(target: number): SlowProxy {
  const proxy = { delay: 0 };
  const forward = (socket: Socket<Pair>, bytes: Buffer) => {
    const copy = Buffer.from(bytes);
    const write = () => {
      const { peer, unsent } = socket.data;
      if (peer === null) unsent.push(copy);
      else writeAll(peer, copy);
    };
    if (proxy.delay === 0) write();
    else setTimeout(write, proxy.delay);
  };
  const close = (socket: Socket<Pair>) => void socket.data.peer?.end();
  const upstream = (client: Socket<Pair>) =>
    Bun.connect<Pair>({
      hostname: '127.0.0.1',
      port: target,
      data: { peer: client, unsent: [] },
      socket: {
        open(socket) {
          client.data.peer = socket;
          for (const bytes of client.data.unsent.splice(0)) writeAll(socket, bytes);
        },
        data: forward,
        close,
        error: close,
      },
    }).catch(() => client.end());
  const server = Bun.listen<Pair>({
    hostname: '127.0.0.1',
    port: 0,
    data: { peer: null, unsent: [] },
    socket: {
      open(socket) {
        socket.data = { peer: null, unsent: [] };
        void upstream(socket);
      },
      data: forward,
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
  const written = socket.write(bytes);
  if (written >= 0 && written < bytes.length) setTimeout(() => writeAll(socket, bytes.subarray(written)), 1);
}
