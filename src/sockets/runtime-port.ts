import type { Socket, SocketHandler } from 'bun';
import type { Place, Receiver, VisitorPort } from './port.ts';

/** A port as the runtime has it, on every system. */
export function openRuntimePort<Connection>(place: Place, receiver: Receiver<Connection>): VisitorPort {
  const handler: SocketHandler<Connection, 'buffer'> = {
    open: (socket: Socket<Connection>) => {
      socket.data = receiver.opened(socket);
    },
    data: ({ data }, bytes) => receiver.received(data, bytes),
    drain: ({ data }) => receiver.drained(data),
    end: ({ data }) => receiver.ended(data),
    close: ({ data }) => receiver.closed(data),
    error: ({ data }, cause) => receiver.failed(data, cause),
  };
  const listener = Bun.listen<Connection>({ ...place, allowHalfOpen: true, socket: handler });
  return {
    port: listener.port,
    afterTurn: (task) => void setImmediate(task),
    stop: () => listener.stop(),
    close: () => listener.stop(true),
  };
}
