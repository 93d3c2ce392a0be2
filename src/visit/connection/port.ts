import type { Socket, TCPSocketListener } from 'bun';
import { dropNewConnections } from './drop-new-connections.ts';

/** The writing side of a socket. */
export interface Writable {
  /** Returns how many bytes the system took; negative if the connection is closed. Text is ASCII. */
  write(bytes: Uint8Array | string): number;
  /** Ends the writing side. Further bytes of the other side are read: a reset could make it lose the last bytes. */
  shutdown(): void;
}

/** A visitor's socket. */
export interface VisitorSocket extends Writable {
  readonly remoteAddress: string;
  /** Reads nothing more until `resume`. */
  pause(): void;
  resume(): void;
  /** Closes once all written bytes are sent. */
  end(): void;
  /** Closes at once, even while bytes are waiting. */
  terminate(): void;
}

/** The callbacks of visitors' connections. The value that `opened` returns is passed to all others. */
export interface Receiver<Connection> {
  opened(socket: VisitorSocket): Connection;
  /** The client has begun a TLS handshake, which waits for a certificate that is being looked up or ordered. */
  handshakeWaits(connection: Connection): void;
  /** The receiver may keep the bytes: each piece has its own memory. */
  received(connection: Connection, bytes: Buffer): void;
  /** There is room again after a partial write. */
  drained(connection: Connection): void;
  /** The other side sends no more. */
  ended(connection: Connection): void;
  closed(connection: Connection): void;
  failed(connection: Connection, cause: unknown): void;
}

export interface ListenAddress {
  readonly hostname: string;
  readonly port: number;
  /** Whether other processes may bind the same port. */
  readonly reusePort: boolean;
}

/** The port that visitors connect to. */
export interface VisitorPort {
  readonly port: number;
  /** Calls the task once all bytes of this tick have been received. */
  afterTick(task: () => void): void;
  /** Where other processes share the port: leaves new connections to them. False where the system can't do it. */
  dropNew?(): Promise<boolean>;
  /** Accepts no new connections. */
  stop(): void;
  /** Closes all connections and the port. */
  close(): void;
}

export function openPort<Connection>(address: ListenAddress, receiver: Receiver<Connection>): VisitorPort {
  const listener = Bun.listen<Connection>({
    ...address,
    allowHalfOpen: true,
    socket: {
      open: (socket: Socket<Connection>) => {
        socket.data = receiver.opened(socket);
      },
      data: ({ data }, bytes) => receiver.received(data, bytes),
      drain: ({ data }) => receiver.drained(data),
      end: ({ data }) => receiver.ended(data),
      close: ({ data }) => receiver.closed(data),
      error: ({ data }, cause) => receiver.failed(data, cause),
    },
  });
  return portOf(listener);
}

export const portOf = <Connection>(listener: TCPSocketListener<Connection>): VisitorPort => ({
  port: listener.port,
  afterTick: (task) => void setImmediate(task),
  dropNew: () => dropNewConnections((listener as { readonly fd?: number }).fd ?? -1),
  stop: () => listener.stop(),
  close: () => listener.stop(true),
});
