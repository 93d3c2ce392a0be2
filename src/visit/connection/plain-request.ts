import {
  afterBlanks,
  beforeBlanks,
  isLineBreak,
  layOut,
  longestHead,
  nameEnd,
  pathEnd,
  targetEnd,
  valueEnd,
} from './header-bytes.ts';
import { HeaderNames } from './header-names.ts';

/**
 * A visit as nearly all of them are: a GET or HEAD without a body, all there, every part of it in plain ASCII and none
 * of it twice. What a header says is '' when it isn't there; where that makes a difference, null.
 */
export interface PlainRequest {
  readonly method: 'GET' | 'HEAD';
  /** As it was sent, percent-encoded, from the slash to the question mark. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly search: string;
  readonly host: string;
  readonly userAgent: string | null;
  readonly acceptLanguage: string;
  readonly referer: string;
  readonly purpose: string;
  readonly doNotTrack: boolean;
  readonly platformHint: string | null;
  readonly forwardedFor: string | null;
  readonly countryHint: string;
  /** Whether the sender wants no other answer on this connection. */
  readonly closes: boolean;
  /** Where the next request begins. */
  readonly end: number;
}

const names = new HeaderNames();
/** A body, talk of more than this one request, or a credential: a call of the API, wherever it went. */
const refused = ['content-length', 'transfer-encoding', 'expect', 'upgrade', 'api-key', 'authorization'].map(
  (name) => names.add(name),
);
const lastRefused = Math.max(...refused);
const host = names.add('host');
const connection = names.add('connection');
const userAgent = names.add('user-agent');
const acceptLanguage = names.add('accept-language');
const referer = names.add('referer');
const dnt = names.add('dnt');
const secGpc = names.add('sec-gpc');
const platformHint = names.add('sec-ch-ua-platform');
const forwardedFor = names.add('x-forwarded-for');
const secPurpose = names.add('sec-purpose');
const purpose = names.add('purpose');
const xMoz = names.add('x-moz');
const xPurpose = names.add('x-purpose');
const cloudflareCountry = names.add('cf-ipcountry');
const vercelCountry = names.add('x-vercel-ip-country');
const otherCountry = names.add('x-country-code');

/**
 * Reads the request that begins at `at`; `text` is the bytes, a character each. Null when it isn't whole, or anything
 * about it is out of the ordinary: whoever reads requests in earnest is to see it.
 */
export function readPlainRequest(bytes: Buffer, text: string, at: number): PlainRequest | null {
  const method = text.startsWith('GET /', at) ? 'GET' : text.startsWith('HEAD /', at) ? 'HEAD' : null;
  if (method === null) return null;
  layOut(bytes, at);
  const path = method.length + 1;
  const search = pathEnd(path);
  const version = targetEnd(search);
  const isOld = !text.startsWith(' HTTP/1.1\r\n', at + version);
  if (isOld && !text.startsWith(' HTTP/1.0\r\n', at + version)) return null;
  const headers = new PlainHeaders(text, at);
  const end = headers.read(version + 11);
  if (end < 0) return null;
  const name = headers.value(host);
  const wish = headers.value(connection)?.toLowerCase();
  // Old clients keep a connection only where both sides say so.
  if (name === null || !(wish === undefined || wish === 'close' || (wish === 'keep-alive' && !isOld)))
    return null;
  const agent = headers.value(userAgent);
  return {
    method,
    path: text.slice(at + path, at + search),
    search: text.slice(at + search, at + version),
    host: name,
    userAgent: agent,
    acceptLanguage: headers.value(acceptLanguage) ?? '',
    referer: headers.value(referer) ?? '',
    purpose: headers.purpose(agent),
    doNotTrack: headers.value(dnt) === '1' || headers.value(secGpc) === '1',
    platformHint: headers.value(platformHint),
    forwardedFor: headers.value(forwardedFor),
    countryHint:
      headers.value(cloudflareCountry) ?? headers.value(vercelCountry) ?? headers.value(otherCountry) ?? '',
    closes: isOld || wish === 'close',
    end: at + end,
  };
}

/** Where the values are that matter, by the number of their name. Of the request that is laid out. */
const starts = new Int32Array(32);
const ends = new Int32Array(32);

class PlainHeaders {
  readonly #text: string;
  readonly #at: number;
  /** A bit for each name that was there. */
  #seen = 0;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  /** Reads all lines from this one on. Where the head ends; -1 for what makes it no plain request. */
  read(first: number): number {
    let line = first;
    while (!isLineBreak(line)) {
      const name = nameEnd(line);
      if (name < 0) return -1;
      const end = valueEnd(name + 1);
      if (end < 0 || end > longestHead || !this.#take(names.find(line, name), name + 1, end)) return -1;
      line = end + 2;
    }
    return line + 2;
  }

  value(header: number): string | null {
    if ((this.#seen & (1 << header)) === 0) return null;
    const start = afterBlanks(starts[header] as number, ends[header] as number);
    const end = beforeBlanks(start, ends[header] as number);
    return this.#text.slice(this.#at + start, this.#at + end);
  }

  /** The standard's name, and those that came before it: Firefox had one of its own. */
  purpose(agent: string | null): string {
    const standard = this.value(secPurpose) ?? this.value(purpose);
    if (standard !== null) return standard;
    const firefox = this.value(xMoz);
    const other = this.value(xPurpose);
    if (firefox === null && other === null) return '';
    return (agent?.includes('Firefox/') ? firefox : other) ?? '';
  }

  #take(header: number, from: number, to: number): boolean {
    if (header === 0) return true;
    const bit = 1 << header;
    if (header <= lastRefused || (this.#seen & bit) !== 0) return false;
    this.#seen |= bit;
    starts[header] = from;
    ends[header] = to;
    return true;
  }
}
