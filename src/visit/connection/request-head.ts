import { answeredMethods, type RefusedStatus } from './refused-request.ts';

/** The head of a request for the app server. */
export interface RequestHead {
  readonly method: string;
  /** As it is forwarded: with one Host, and one unambiguous length of its body. */
  readonly text: string;
  /** The length of its body. */
  readonly body: number | 'chunked';
  /** The client waits for a 100 before it sends the body. */
  readonly expectsContinue: boolean;
  /** The client wants no further answer on this connection. */
  readonly closes: boolean;
  /** Its length in bytes as it was received. */
  readonly length: number;
}

/** Bytes of request line and headers; less than the app server's limit, because some may be added. */
export const maxHead = 16_000;
/** The app server's limit is 198. */
const maxFields = 190;

const requestLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+) ([\x21-\x7e\x80-\xff]+) HTTP\/(\d\.\d)$/;
const fieldLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\t\x20-\x7e\x80-\xff]*)$/;
const absoluteTarget = /^https?:\/\/([^/?#@]+)(\/[^#]*|\?[^#]*)?$/i;
/** Hop-by-hop headers, and those of upgrades, which are not supported. */
const dropped = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const onlyOnce = new Set(['content-length', 'host', 'transfer-encoding']);
const [tab, lineFeed, carriageReturn, blank, del] = [9, 10, 13, 32, 127];

/** Whether the text has a stray line break or a control character from this index on, which no head may contain. */
export function isGarbled(text: string, from: number): boolean {
  let before = from > 0 ? text.charCodeAt(from - 1) : 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code === lineFeed) !== (before === carriageReturn)) return true;
    if ((code < blank && code !== tab && code !== lineFeed && code !== carriageReturn) || code === del)
      return true;
    before = code;
  }
  return false;
}

/**
 * Reads a head without its empty line. Returns a status if it is refused. X-Forwarded-Proto is forwarded as
 * `scheme`, or unchanged if that is null.
 */
export function readHead(text: string, scheme: 'https' | 'http' | null = null): RequestHead | RefusedStatus {
  const [first = '', ...lines] = text.split('\r\n');
  const [, method = '', target = '', version = ''] = requestLine.exec(first) ?? [];
  if (method === '') return 400;
  if (!answeredMethods.includes(method)) return 501;
  if (version !== '1.1' && version !== '1.0') return 505;
  if (lines.length > maxFields) return 431;
  /** The headers that are interpreted here instead of being forwarded unchanged. */
  const fields = new Map<string, string>();
  let keptHeaders = '';
  for (const line of lines) {
    const [, name = '', value = ''] = fieldLine.exec(line) ?? [];
    if (name === '') return 400;
    const lower = name.toLowerCase();
    if (scheme !== null && lower === 'x-forwarded-proto') continue;
    const before = fields.get(lower);
    if (!dropped.has(lower)) keptHeaders += `${line}\r\n`;
    else if (before === undefined) fields.set(lower, withoutBlanks(value));
    else if (onlyOnce.has(lower)) return 400;
    else fields.set(lower, `${before},${withoutBlanks(value)}`);
  }
  const destination = destinationOf(target, fields.get('host') ?? null);
  const body = bodyOf(fields, version);
  // HTTP/1.0 permits a request without a Host: the app server decides about it.
  if (destination === null || body === null || (destination.host === null && version === '1.1')) return 400;
  const expectsContinue =
    version === '1.1' && body !== 0 && /^,*100-continue,*$/i.test(fields.get('expect') ?? '');
  const closes = version === '1.0' || /(?:^|[, \t])close(?:$|[, \t])/i.test(fields.get('connection') ?? '');
  const ownHeaders =
    (destination.host === null ? '' : `Host: ${destination.host}\r\n`) +
    (body === 'chunked'
      ? 'Transfer-Encoding: chunked\r\n'
      : fields.has('content-length')
        ? `Content-Length: ${body}\r\n`
        : '') +
    (expectsContinue ? 'Expect: 100-continue\r\n' : '') +
    (closes ? 'Connection: close\r\n' : '') +
    (scheme === null ? '' : `X-Forwarded-Proto: ${scheme}\r\n`);
  return {
    method,
    text: `${method} ${destination.target} HTTP/${version}\r\n${ownHeaders}${keptHeaders}\r\n`,
    body,
    expectsContinue,
    closes,
    length: text.length + 4,
  };
}

/** By index: a regular expression for trailing blanks takes a time quadratic in their number. */
function withoutBlanks(text: string): string {
  const isBlank = (at: number) => text.charCodeAt(at) === blank || text.charCodeAt(at) === tab;
  let [start, end] = [0, text.length];
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return text.slice(start, end);
}

/** For an absolute target, its host counts instead of the header (RFC 9112, 3.2.2). */
function destinationOf(target: string, host: string | null): { target: string; host: string | null } | null {
  if (target.startsWith('/')) return { target, host };
  const [, authority, rest = '/'] = absoluteTarget.exec(target) ?? [];
  if (authority === undefined || host === null) return null;
  return { target: rest.startsWith('/') ? rest : `/${rest}`, host: authority };
}

/** Null if its length is ambiguous. */
function bodyOf(fields: ReadonlyMap<string, string>, version: string): number | 'chunked' | null {
  const length = fields.get('content-length');
  const coding = fields.get('transfer-encoding');
  if (coding !== undefined)
    return coding.toLowerCase() === 'chunked' && length === undefined && version === '1.1' ? 'chunked' : null;
  if (length === undefined) return 0;
  return /^\d{1,15}$/.test(length) ? Number(length) : null;
}
