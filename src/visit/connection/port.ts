import type { Socket } from 'bun';

/** A socket, as far as writing to it goes. */
export interface Writable {
  /** How many bytes the system took; less than none when the other side is gone. Text is ASCII. */
  write(bytes: Uint8Array | string): number;
  /** Nothing more is written. What the other side still sends is read: a reset could cost it the last bytes. */
  shutdown(): void;
}

/** A visitor's socket. */
export interface VisitorSocket extends Writable {
  readonly remoteAddress: string;
  /** Nothing more is read until `resume`. */
  pause(): void;
  resume(): void;
  /** Closed once what was written is out. */
  end(): void;
  /** Closed at once, whatever is under way. */
  terminate(): void;
}

/** What is done with visitors' connections. What `opened` gives back is handed to all the others. */
export interface Receiver<Connection> {
  opened(socket: VisitorSocket): Connection;
  /** The bytes are lent: once this returns, others may stand in their place. */
  received(connection: Connection, bytes: Buffer): void;
  /** There is room again, after a write that wasn't taken whole. */
  drained(connection: Connection): void;
  /** The other side sends no more. */
  ended(connection: Connection): void;
  closed(connection: Connection): void;
  failed(connection: Connection, cause: unknown): void;
}

export interface Place {
  readonly hostname: string;
  readonly port: number;
  /** Whether other processes may listen on the same port. */
  readonly reusePort: boolean;
}

/** Where visitors connect. */
export interface VisitorPort {
  readonly port: number;
  /** Calls this once all that came in this turn has been received. */
  afterTurn(task: () => void): void;
  /** Takes no new connections. */
  stop(): void;
  /** Ends all that are left, and is over. */
  close(): void;
}

export function openPort<Connection>(place: Place, receiver: Receiver<Connection>): VisitorPort {
  const listener = Bun.listen<Connection>({
    ...place,
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
  return {
    port: listener.port,
    afterTurn: (task) => void setImmediate(task),
    stop: () => listener.stop(),
    close: () => listener.stop(true),
  };
}
