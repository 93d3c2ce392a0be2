import { connect } from 'node:net';
import type pg from 'pg';

/** The protocol's number for it. */
const cancelRequest = 80_877_102;
/** Milliseconds for the request itself. */
const patience = 2_000;

/**
 * Has the server stop what a connection asks. The protocol's own way, as a pooler in between passes it on to where the
 * statement runs; the process ids that a pooler tells are its own.
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
  // The server ends the connection when it has seen to it: a pooler forgets what a client that is gone has asked for.
  socket
    .on('error', () => {})
    .setTimeout(patience, () => socket.destroy())
    .write(request);
}
