import { connect, type Socket } from 'node:net';
import { firefox } from './agents-of-people.ts';
import { scaledToLoad } from './scaled-to-load.ts';

/** HTTP at the byte level, for what `fetch` would correct, refuse or omit. */
export interface RawResponse {
  readonly status: number;
  /** By lower-case name; values of the same name are joined by a line break. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Sent as is after the headers, without a Content-Length: for chunked bodies. */
  readonly unframed?: string;
}

/** Sends one well-formed request on a connection of its own, with any Host and any path, unnormalized. */
export async function visitRaw(url: string, request: RawRequest): Promise<RawResponse> {
  const { method = 'GET', path, host = new URL(url).host, headers = {}, body, unframed = '' } = request;
  const all: Record<string, string> = { host, 'user-agent': firefox, connection: 'close', ...headers };
  if (body !== undefined) all['content-length'] = String(Buffer.byteLength(body));
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? unframed}`);
  const [response] = await exchange(url, bytes, { responses: 1, bodyless: method === 'HEAD' });
  if (!response) throw new Error(`no answer to ${method} ${path}`);
  return response;
}

/**
 * Sends these bytes and reads until the server closes the connection, has sent `answers` responses, or is silent for
 * `timeout` milliseconds (longer on a machine under load, if the number of responses is unknown). Incomplete responses
 * are dropped.
 */
export function exchange(
  url: string,
  bytes: string | Uint8Array,
  {
    responses = Number.POSITIVE_INFINITY,
    timeout = Number.isFinite(responses) ? 60_000 : 1_000,
    bodyless = false,
    /** The offsets at which the bytes are split into separate writes. */
    cuts = [] as readonly number[],
  } = {},
): Promise<RawResponse[]> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const found: RawResponse[] = [];
    let rest = '';
    // Each character of a string is sent as one byte, so that a test can write any byte.
    const all = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes;
    const socket: Socket = connect({ host: hostname, port: Number(port) }, async () => {
      socket.setNoDelay(true);
      for (const [index, start] of [0, ...cuts].entries()) {
        // A pause, so that the pieces arrive separately.
        if (index > 0) await Bun.sleep(1);
        if (!socket.destroyed) socket.write(all.subarray(start, cuts[index]));
      }
    });
    const finish = () => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(Number.isFinite(responses) ? timeout : scaledToLoad(timeout), finish);
    // A server that closes a connection with unread bytes causes a reset after the response.
    socket.on('error', () => {});
    socket.on('close', finish);
    socket.on('data', (chunk) => {
      rest = takeResponses(rest + chunk.toString('latin1'), bodyless, found);
      if (found.length >= responses) finish();
    });
  });
}

/** Adds the complete responses to `found`, and returns the rest: an incomplete one. */
function takeResponses(received: string, bodyless: boolean, found: RawResponse[]): string {
  let rest = received;
  for (;;) {
    const headEnd = rest.indexOf('\r\n\r\n');
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(rest)?.[1];
    if (headEnd < 0 || status === undefined) return rest;
    const headers = parseHeaders(rest.slice(0, headEnd));
    const after = rest.slice(headEnd + 4);
    const read = bodyless ? (['', 0] as const) : readBody(headers, after);
    if (read === null) return rest;
    const [body, length] = read;
    found.push({ status: Number(status), headers, body: Buffer.from(body, 'latin1').toString('utf8') });
    rest = after.slice(length);
  }
}

function parseHeaders(head: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of head.split('\r\n').slice(1)) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase();
    const value = line.slice(line.indexOf(':') + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}\n${value}`;
  }
  return headers;
}

/** The body and its length in bytes; null while it is incomplete. */
function readBody(headers: Record<string, string>, rest: string): [string, number] | null {
  if (headers['transfer-encoding'] === 'chunked') return readChunks(rest);
  const length = Number(headers['content-length'] ?? 0);
  return rest.length < length ? null : [rest.slice(0, length), length];
}

/** The chunked body that begins at `start`, and the index after it; null while it is incomplete. */
export function readChunks(text: string, start = 0): [body: string, end: number] | null {
  let body = '';
  for (let at = start; ; ) {
    const lineEnd = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    if (lineEnd < 0 || Number.isNaN(size) || text.length < lineEnd + size + 4) return null;
    body += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + size + 4;
    if (size === 0) return [body, at];
  }
}
