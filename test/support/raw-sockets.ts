import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { scaledToLoad } from './scaled-to-load.ts';

/** Doesn't read until everything is sent. `firstData` resolves at the first part of the response, `all` to the whole response. */
export function readAfterSending(
  port: number,
  bytes: string,
): { firstData: Promise<unknown>; all: Promise<string> } {
  const socket = connect({ host: '127.0.0.1', port });
  let text = '';
  socket.pause();
  socket.on('data', (part) => {
    text += part.toString('latin1');
  });
  const firstData = new Promise((resolve) => socket.once('data', resolve));
  const all = new Promise<string>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('end', () => resolve(text));
  });
  socket.write(bytes, () => socket.resume());
  return { firstData, all };
}

/** Local ports of this process's TCP sockets in a state (0A is listening); if `peer` is given, only of connections to that port. */
export function socketPorts(state: string, peer?: number): number[] {
  const lines = readFileSync('/proc/self/net/tcp', 'utf8').trim().split('\n').slice(1);
  const portOf = (place = '') => Number.parseInt(place.split(':')[1] ?? '', 16);
  const own = new Set(readdirSync('/proc/self/fd').flatMap(socketOf));
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, , remote, foundState, , , , , , inode]) =>
        foundState === state && own.has(inode ?? '') && (peer === undefined || portOf(remote) === peer),
    )
    .map(([, local]) => portOf(local));
}

function socketOf(file: string): string[] {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${file}`))?.slice(1) ?? [];
  } catch {
    return [];
  }
}

interface SendOptions {
  /** Reads until this many responses have arrived; by default, until the connection is quiet for a while or closed. */
  readonly count?: number;
  readonly from?: string;
  readonly fromPort?: number;
  readonly endsAfterSending?: boolean;
}

/** Everything received after sending these pieces, as latin1, and whether the connection was closed. */
export function sendPieces(
  port: number,
  pieces: readonly string[],
  { count, from, fromPort, endsAfterSending: hangsUp }: SendOptions = {},
): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    let counted = 0;
    const socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      allowHalfOpen: hangsUp === true,
      ...(from && { localAddress: from }),
      ...(fromPort && { localPort: fromPort }),
    });
    const finish = () => {
      socket.destroy();
      resolve(received);
    };
    let mayWaitLonger = count === undefined;
    socket.setTimeout(count === undefined ? scaledToLoad(300) : 60_000, () => {
      // On a machine under load, even the first response may take longer.
      if (received !== '' || !mayWaitLonger) finish();
      else socket.setTimeout(60_000);
      mayWaitLonger = false;
    });
    socket.on('error', () => {});
    socket.on('close', finish);
    socket.on('connect', async () => {
      for (const piece of pieces) {
        if (socket.destroyed) return;
        await new Promise((written) => socket.write(piece, 'latin1', written));
        if (pieces.length > 1) await new Promise(setImmediate);
      }
      if (hangsUp) socket.end();
    });
    socket.on('data', (part) => {
      received += part.toString('latin1');
      if (count === undefined) return;
      counted = statusesOf(received).length;
      // Waits 5 ms, so that a superfluous response is noticed.
      if (counted >= count && /\r\n\r\n[^\r]*$/.test(received)) setTimeout(finish, 5);
    });
  });
}

export async function connectAndSend(port: number, bytes: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  await new Promise((connected) => socket.once('connect', connected));
  await new Promise((written) => socket.write(bytes, 'latin1', written));
  return socket;
}

export const statusesOf = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** Keeps the statuses, the bodies and the header that frames each body; drops all other headers. */
export const statusesAndBodies = (text: string): string =>
  text.replace(
    /(HTTP\/1\.1 \d{3}) [^\r]*\r\n((?:[^\r\n]+\r\n)*)\r\n/g,
    (_, status, lines) =>
      `${status} ${/^(?:content-length|transfer-encoding): [^\r]*/im.exec(lines)?.[0].toLowerCase() ?? ''}\n`,
  );
