import { connect } from 'node:net';
import type pg from 'pg';

/** The code of a cancel request in the protocol. */
const cancelRequest = 80_877_102;
/** Milliseconds for the request itself. */
const timeout = 2_000;

/**
 * Cancels a connection's statement on the server. Uses the protocol's cancel request, because a pooler forwards that to the
 * connection with the statement; the process ids that a pooler reports are its own.
 */
export function cancelStatement(client: pg.ClientBase): void {
  const { host, port, processID, secretKey } = client as unknown as {
    readonly host: string;
    readonly port: number;
    readonly processID: number | null;
    readonly secretKey: number | null;
  };
  if (processID === null || secretKey === null) return;
  const request = Buffer.alloc(16);
  request.writeInt32BE(request.length, 0);
  request.writeInt32BE(cancelRequest, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  // The server closes the connection when it is done: a pooler drops the request of a client that has disconnected.
  socket
    .on('error', () => {})
    .setTimeout(timeout, () => socket.destroy())
    .write(request);
}
