import { firefox } from './agents-of-people.ts';

export interface StreamRequest {
  readonly bytes: string;
  readonly suffix: string;
  readonly isHead: boolean;
  /** The possible status codes. A redirect must lead to the destination of this suffix. */
  readonly statuses: readonly number[];
}

export interface Stream {
  readonly requests: readonly StreamRequest[];
  /** The offsets at which the concatenated bytes are split. */
  readonly cuts: readonly number[];
}

type Draw = (below: number) => number;

interface StreamSite {
  readonly host: string;
  readonly suffixes: readonly string[];
}

const limits = [64, 256, 1_024, 2_048, 4_096, 8_192, 16_384] as const;
const bodyLimits = [...limits, 32_768, 65_536] as const;
const userAgentLine = `User-Agent: ${firefox}\r\n`;
/** A header that keeps a request off the fast path, and changes nothing else. */
const detour = 'X-Detour: \xe9\r\n';
/** Possible statuses if the head is about as long as the app server's limit; it may also be accepted. */
const tooLong = [431, 414] as const;
const longestAccepted = 16_000;

/** Streams of pipelined requests whose lengths are around the limits of buffers, split at random offsets. */
export function drawStream(draw: Draw, site: StreamSite): Stream {
  const requests = Array.from({ length: countOf(draw) }, () => drawRequest(draw, site));
  return { requests, cuts: cutsOf(draw, requests) };
}

function countOf(draw: Draw): number {
  const kind = draw(100);
  if (kind < 25) return 1;
  if (kind < 97) return 2 + draw(8);
  // More responses than are written at once, and more bytes than are read at once.
  return 100 + draw(400);
}

function drawRequest(draw: Draw, { host, suffixes }: StreamSite): StreamRequest {
  const suffix = suffixes[draw(suffixes.length)] as string;
  const kind = draw(100);
  if (kind < 70) return visit(draw, host, `/${suffix}`, suffix, [302]);
  if (kind < 80) return visit(draw, host, `/missing-${draw(2 ** 30)}`, suffix, [404]);
  if (kind < 92) return withBody(draw, host, suffix);
  return oddMethod(draw, host, suffix);
}

function visit(
  draw: Draw,
  host: string,
  path: string,
  suffix: string,
  statuses: readonly number[],
): StreamRequest {
  const isHead = draw(10) === 0;
  const method = isHead ? 'HEAD' : 'GET';
  const more = draw(8) === 0 ? detour : '';
  const plain = (target: string, pad: string) =>
    `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${userAgentLine}${more}${pad}\r\n`;
  const length = draw(3) === 0 ? aroundLimit(draw, limits) : 0;
  const bytes = padded(draw, length, path, plain);
  return {
    bytes,
    suffix,
    isHead,
    statuses: bytes.length > longestAccepted ? [...statuses, ...tooLong] : statuses,
  };
}

/** Pads the target, one header or many headers: until the whole head, or that part alone, has this length. */
function padded(
  draw: Draw,
  length: number,
  path: string,
  plain: (target: string, pad: string) => string,
): string {
  const short = plain(path, '');
  const missing = draw(2) === 0 ? length - short.length : length;
  if (missing < 16) return short;
  switch (draw(4)) {
    case 0:
      return plain(`${path}?${'q'.repeat(missing - 1)}`, '');
    case 1:
      return plain(path, `X-Pad: ${'x'.repeat(missing - 9)}\r\n`);
    case 2:
      return plain(path, `Referer: https://e/${'r'.repeat(missing - 21)}\r\n`);
    default: {
      const lines = Math.floor(missing / 200);
      const rest = missing - lines * 200;
      const last = rest < 10 ? '' : `Y: ${'y'.repeat(rest - 5)}\r\n`;
      return plain(path, `A: ${'a'.repeat(195)}\r\n`.repeat(lines) + last);
    }
  }
}

function withBody(draw: Draw, host: string, suffix: string): StreamRequest {
  const length = draw(4) === 0 ? draw(40) : aroundLimit(draw, bodyLimits);
  const isChunked = draw(4) === 0;
  const body = 'b'.repeat(length);
  const framed = isChunked
    ? `Transfer-Encoding: chunked\r\n\r\n${length === 0 ? '' : `${length.toString(16)}\r\n${body}\r\n`}0\r\n\r\n`
    : `Content-Length: ${length}\r\n\r\n${body}`;
  const bytes = `POST /${suffix} HTTP/1.1\r\nHost: ${host}\r\n${userAgentLine}${framed}`;
  return { bytes, suffix, isHead: false, statuses: [405] };
}

/** Methods that get a response, but aren't visits. */
function oddMethod(draw: Draw, host: string, suffix: string): StreamRequest {
  const method = ['OPTIONS', 'DELETE', 'PUT', 'PROPFIND', 'FOO'][draw(5)] as string;
  const bytes = `${method} /${suffix} HTTP/1.1\r\nHost: ${host}\r\n${userAgentLine}\r\n`;
  return { bytes, suffix, isHead: false, statuses: [400, 405, 501] };
}

const aroundLimit = (draw: Draw, lengths: readonly number[]): number =>
  (lengths[draw(lengths.length)] as number) + draw(33) - 16;

function cutsOf(draw: Draw, requests: readonly StreamRequest[]): number[] {
  const ends: number[] = [];
  let length = 0;
  for (const { bytes } of requests) {
    length += bytes.length;
    ends.push(length);
  }
  const cuts = Array.from({ length: draw(5) }, () => {
    const kind = draw(3);
    if (kind === 0) return draw(length);
    if (kind === 1) return (ends[draw(ends.length)] as number) + draw(9) - 4;
    return aroundLimit(draw, bodyLimits);
  });
  return [...new Set(cuts.filter((cut) => cut > 0 && cut < length))].sort((one, other) => one - other);
}
