import { nextFreeTick } from '../manage/time-slice.ts';
import { Refusal } from '../rules/errors.ts';
import { type BodyLease, smallBodyBytes } from './body-memory.ts';
import { requireBoundedJson } from './json-shape.ts';

/** The JSON of a body, or undefined if there is none. Never reads beyond the limit, whatever Content-Length says. */
export async function readJson(request: Request, limit: number, lease: BodyLease): Promise<unknown> {
  requireNoEncoding(request);
  const bytes = await readBytes(request, limit, lease);
  if (bytes.byteLength > smallBodyBytes) await nextFreeTick();
  if (isBlank(bytes)) return undefined;
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new Refusal(
      'CONTENT_TYPE_UNSUPPORTED',
      'Send the body as JSON, with the header "Content-Type: application/json".',
    );
  }
  requireBoundedJson(bytes);
  const text = decode(bytes);
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(
      'BODY_MALFORMED',
      'The body is not valid JSON. Look for a missing quote, a trailing comma or a cut-off end.',
    );
  }
}

/** Only tabs, line breaks and spaces. */
function isBlank(bytes: Uint8Array): boolean {
  // Without an iterator, because it may check four megabytes of spaces one by one.
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
  }
  return true;
}

/** Nothing is decompressed: a few compressed bytes could expand to any number. */
function requireNoEncoding({ headers }: Request): void {
  const encoding = headers.get('content-encoding')?.trim() ?? '';
  if (encoding === '' || encoding.toLowerCase() === 'identity') return;
  const name = encoding.slice(0, 40);
  throw new Refusal(
    'CONTENT_TYPE_UNSUPPORTED',
    `The body is marked "Content-Encoding: ${name}", which is not taken here. Send it as it is, uncompressed and without that header.`,
  );
}

async function readBytes(request: Request, limit: number, lease: BodyLease): Promise<Uint8Array> {
  try {
    return await readLimited(request, limit, lease);
  } catch (cause) {
    // A client that disconnects midway is not our fault.
    if ((cause as Error).name !== 'AbortError') throw cause;
    throw new Refusal('BODY_MALFORMED', 'The body did not arrive whole. Send it again.');
  }
}

async function readLimited(request: Request, limit: number, lease: BodyLease): Promise<Uint8Array> {
  const contentLength = request.headers.get('content-length');
  if (contentLength === null) return lease.untilWhole(readChunks(request, limit, lease));
  const length = Number(contentLength);
  if (length > limit) throw tooLarge(limit);
  // A large body is counted before it arrives, so that no more are accepted than fit.
  if (length > smallBodyBytes) {
    lease.take(length, 'large');
    return new Uint8Array(await lease.untilWhole(request.arrayBuffer()));
  }
  const bytes = new Uint8Array(await request.arrayBuffer());
  lease.take(bytes.byteLength, 'small');
  return bytes;
}

async function readChunks(request: Request, limit: number, lease: BodyLease): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  let counted = 0;
  for await (const part of request.body ?? []) {
    length += part.byteLength;
    if (length > limit) throw tooLarge(limit);
    parts.push(part);
    if (length <= smallBodyBytes) continue;
    lease.take(length - counted, 'large');
    counted = length;
  }
  // Only once it is whole: small bodies that never end must not use up what all calls share.
  if (counted === 0) lease.take(length, 'small');
  return Buffer.concat(parts);
}

const tooLarge = (limit: number): Refusal =>
  new Refusal(
    'BODY_TOO_LARGE',
    `The body is too large: at most ${Math.floor(limit / 1024)} KB are taken here.`,
  );

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('BODY_MALFORMED', 'The body is not valid UTF-8. Save or send it in that encoding.');
  }
}
