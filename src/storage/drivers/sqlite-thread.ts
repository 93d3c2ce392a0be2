/**
 * Runs in a thread of its own, so that neither a slow search nor the wait for the disk ever holds up a redirect.
 * Messages: {open}, {id, sql, parameters, inside}, {close}; answers: {opened}, {id, answer}, {id, problem}, {closed}.
 */
import { SqliteConnection } from './sqlite-connection.ts';

declare const self: Worker;

let connection: SqliteConnection | undefined;

self.onmessage = (event: MessageEvent) => {
  const message = event.data;
  if (message.open) {
    try {
      connection = new SqliteConnection(message.open.file, message.open.mode);
      self.postMessage({ opened: true });
    } catch (cause) {
      self.postMessage({ opened: false, problem: problemOf(cause) });
    }
  } else if (message.close) {
    connection?.close();
    self.postMessage({ closed: true });
  } else {
    try {
      self.postMessage({
        id: message.id,
        answer: connection?.run(message.sql, message.parameters, message.inside),
      });
    } catch (cause) {
      self.postMessage({ id: message.id, problem: problemOf(cause) });
    }
  }
};

function problemOf(cause: unknown): { message: string; code: string } {
  const error = cause as { message?: string; code?: string };
  return { message: error.message ?? String(cause), code: error.code ?? '' };
}
