import { finalizeHash } from '../../rules/agents/client-hints.ts';
import { type HeaderEvidence, headerEvidenceOf } from '../../rules/agents/header-evidence.ts';
import { countryHeaders, purposeOf } from '../visit.ts';
import {
  afterBlanks,
  beforeBlanks,
  beginsWith,
  copyHead,
  headText,
  isLineBreak,
  maxPlainHead,
  mixRange,
  nameEnd,
  pathEnd,
  targetEnd,
  valueEnd,
} from './header-bytes.ts';
import { HeaderNames } from './header-names.ts';

/**
 * A complete GET or HEAD without a body, in plain ASCII and with no header twice, as nearly all visits are. A missing header
 * is '', or null where the difference matters.
 */
export interface PlainRequest {
  readonly method: 'GET' | 'HEAD';
  /** As it was sent, percent-encoded, up to the question mark. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly search: string;
  readonly host: string;
  readonly userAgent: string | null;
  readonly acceptLanguage: string;
  /** A checksum of its client hints; 0 where there are none. */
  readonly clientHints: number;
  readonly referer: string;
  readonly purpose: string;
  readonly doNotTrack: boolean;
  readonly platformHint: string | null;
  readonly headerEvidence: HeaderEvidence;
  readonly forwardedFor: string | null;
  readonly countryHint: string;
  /** Whether the client wants no further answer on this connection. */
  readonly closes: boolean;
  /** Where the next request begins. */
  readonly end: number;
}

const [getBytes, headBytes] = [Buffer.from('GET /'), Buffer.from('HEAD /')];
const [http10Bytes, http11Bytes] = [Buffer.from(' HTTP/1.0\r\n'), Buffer.from(' HTTP/1.1\r\n')];
const navigateBytes = Buffer.from('navigate');
const names = new HeaderNames();
/** Headers that announce a body, concern more than this one request, or carry a credential of the API. */
const refusedHeaders = [
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
  'api-key',
  'authorization',
].map((name) => names.add(name));
const lastRefused = Math.max(...refusedHeaders);
const host = names.add('host');
const connection = names.add('connection');
const userAgent = names.add('user-agent');
const acceptLanguage = names.add('accept-language');
const referer = names.add('referer');
const dnt = names.add('dnt');
const secGpc = names.add('sec-gpc');
const platformHint = names.add('sec-ch-ua-platform');
const brandsHint = names.add('sec-ch-ua');
const mobileHint = names.add('sec-ch-ua-mobile');
const allHints = (1 << brandsHint) | (1 << mobileHint) | (1 << platformHint);
const fetchMode = names.add('sec-fetch-mode');
const fetchDest = names.add('sec-fetch-dest');
const forwardedFor = names.add('x-forwarded-for');
const forwardedProto = names.add('x-forwarded-proto');
const secPurpose = names.add('sec-purpose');
const purpose = names.add('purpose');
const xMoz = names.add('x-moz');
const xPurpose = names.add('x-purpose');
const countries = countryHeaders.map((name) => names.add(name));

/**
 * Reads the request that begins at `at`. Returns null if it is incomplete or unusual in any way: then the strict reader
 * (request-head.ts) reads it. `scheme` replaces X-Forwarded-Proto; null leaves that as it is.
 */
export function readPlainRequest(
  bytes: Buffer,
  at: number,
  scheme: 'https' | 'http' | null = null,
): PlainRequest | null {
  copyHead(bytes, at);
  const method = beginsWith(0, getBytes) ? 'GET' : beginsWith(0, headBytes) ? 'HEAD' : null;
  if (method === null) return null;
  const pathStart = method.length + 1;
  const searchStart = pathEnd(pathStart);
  const versionStart = targetEnd(searchStart);
  const isHttp10 = !beginsWith(versionStart, http11Bytes);
  if (isHttp10 && !beginsWith(versionStart, http10Bytes)) return null;
  const headers = new PlainHeaders();
  const end = headers.read(versionStart + 11);
  if (end < 0) return null;
  const hostHeader = headers.value(host);
  const option = headers.value(connection)?.toLowerCase();
  // An HTTP/1.0 connection is only kept alive if both sides ask for it.
  if (
    hostHeader === null ||
    !(option === undefined || option === 'close' || (option === 'keep-alive' && !isHttp10))
  )
    return null;
  const agent = headers.value(userAgent);
  return {
    method,
    path: headText(pathStart, searchStart),
    search: headText(searchStart, versionStart),
    host: hostHeader,
    userAgent: agent,
    acceptLanguage: headers.value(acceptLanguage) ?? '',
    clientHints: headers.clientHints(),
    referer: headers.value(referer) ?? '',
    purpose: purposeOf(
      headers.value(secPurpose) ?? headers.value(purpose),
      headers.value(xMoz),
      headers.value(xPurpose),
      agent,
    ),
    doNotTrack: headers.value(dnt) === '1' || headers.value(secGpc) === '1',
    platformHint: headers.value(platformHint),
    headerEvidence: headers.headerEvidence(scheme),
    forwardedFor: headers.value(forwardedFor),
    countryHint: headers.firstOf(countries) ?? '',
    closes: isHttp10 || option === 'close',
    end: at + end,
  };
}

/** The values of interest in the copied head, without blanks around them, by their name's number. */
const starts = new Int32Array(32);
const ends = new Int32Array(32);

class PlainHeaders {
  /** A bit for each name that is present. */
  #present = 0;

  /** Reads all lines from this one on. Returns the end of the head; -1 if the request isn't plain. */
  read(first: number): number {
    let line = first;
    while (!isLineBreak(line)) {
      const header = names.find(line);
      const colon = header === 0 ? nameEnd(line) : line + names.lengthOf(header);
      if (colon < 0) return -1;
      const end = valueEnd(colon + 1);
      if (end < 0 || end > maxPlainHead || !this.#take(header, colon + 1, end)) return -1;
      line = end + 2;
    }
    return line + 2;
  }

  value(header: number): string | null {
    if ((this.#present & (1 << header)) === 0) return null;
    return headText(starts[header] as number, ends[header] as number);
  }

  firstOf(headers: readonly number[]): string | null {
    for (const header of headers) {
      const value = this.value(header);
      if (value !== null) return value;
    }
    return null;
  }

  /** Nearly always a navigation, whose header values needn't be extracted. */
  headerEvidence(scheme: string | null): HeaderEvidence {
    if (this.#isNavigation()) return 'none';
    return headerEvidenceOf({
      mode: this.value(fetchMode),
      destination: this.value(fetchDest),
      platform: this.value(platformHint),
      forwardedProto: scheme ?? this.value(forwardedProto),
    });
  }

  /** The same as `hintsChecksum`, without extracting the values. */
  clientHints(): number {
    if ((this.#present & allHints) === 0) return 0;
    return finalizeHash(this.#mixed(this.#mixed(this.#mixed(1, brandsHint), mobileHint), platformHint));
  }

  #mixed(hash: number, header: number): number {
    if ((this.#present & (1 << header)) === 0) return mixRange(hash, 0, 0);
    return mixRange(hash, starts[header] as number, ends[header] as number);
  }

  #isNavigation(): boolean {
    if ((this.#present & (1 << fetchMode)) === 0) return false;
    return beginsWith(starts[fetchMode] as number, navigateBytes);
  }

  #take(header: number, from: number, to: number): boolean {
    if (header === 0) return true;
    const bit = 1 << header;
    if (header <= lastRefused || (this.#present & bit) !== 0) return false;
    this.#present |= bit;
    const start = afterBlanks(from, to);
    starts[header] = start;
    ends[header] = beforeBlanks(start, to);
    return true;
  }
}
