import { isLineBreak, isName, nameEnd, targetEnd, valueBetween, valueEnd } from './header-bytes.ts';

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

const longestHead = 8 * 1024;

/**
 * Reads the request that begins at `at`; `text` is the bytes, a character each. Null when it isn't whole, or anything
 * about it is out of the ordinary: whoever reads requests in earnest is to see it.
 */
export function readPlainRequest(bytes: Uint8Array, text: string, at: number): PlainRequest | null {
  const method = text.startsWith('GET /', at) ? 'GET' : text.startsWith('HEAD /', at) ? 'HEAD' : null;
  if (method === null) return null;
  const target = at + method.length + 1;
  const afterTarget = targetEnd(bytes, target);
  const isOld = text.startsWith(' HTTP/1.0\r\n', afterTarget);
  if (!isOld && !text.startsWith(' HTTP/1.1\r\n', afterTarget)) return null;
  const seen = new PlainHeaders(bytes, text);
  let line = afterTarget + 11;
  while (!isLineBreak(bytes, line)) {
    const name = nameEnd(bytes, line);
    if (name < 0) return null;
    const end = valueEnd(bytes, name + 1);
    if (end < 0 || end - at > longestHead || !seen.take(line, name, end)) return null;
    line = end + 2;
  }
  // Old clients keep a connection only where both sides say so.
  if (seen.host === null || (isOld && seen.connection === 'keep-alive')) return null;
  const closes = isOld || seen.connection === 'close';
  return requestOf(method, text.slice(target, afterTarget), seen, closes, line + 2);
}

function requestOf(
  method: 'GET' | 'HEAD',
  target: string,
  seen: PlainHeaders,
  closes: boolean,
  end: number,
): PlainRequest {
  const question = target.indexOf('?');
  return {
    method,
    path: question < 0 ? target : target.slice(0, question),
    search: question < 0 ? '' : target.slice(question),
    host: seen.host ?? '',
    userAgent: seen.userAgent,
    acceptLanguage: seen.acceptLanguage ?? '',
    referer: seen.referer ?? '',
    purpose: seen.purpose(),
    doNotTrack: seen.marks?.includes('1') === true,
    platformHint: seen.platformHint,
    forwardedFor: seen.forwardedFor,
    countryHint: seen.countries === null ? '' : (seen.countries.find((country) => country !== null) ?? ''),
    closes,
    end,
  };
}

/** The few headers that matter. Told apart by length first: most of what a browser sends is of no interest. */
class PlainHeaders {
  host: string | null = null;
  connection: string | null = null;
  userAgent: string | null = null;
  acceptLanguage: string | null = null;
  referer: string | null = null;
  marks: (string | null)[] | null = null;
  platformHint: string | null = null;
  forwardedFor: string | null = null;
  /** By rank, as the countries. */
  purposes: (string | null)[] | null = null;
  countries: (string | null)[] | null = null;
  readonly bytes: Uint8Array;
  readonly text: string;

  constructor(bytes: Uint8Array, text: string) {
    this.bytes = bytes;
    this.text = text;
  }

  /** False for what makes it no plain request. */
  take(start: number, name: number, end: number): boolean {
    const { bytes } = this;
    switch (name - start) {
      case 3:
        return isName(bytes, start, 'dnt') ? this.#noteMark(0, name, end) : true;
      case 4:
        if (!isName(bytes, start, 'host')) return true;
        if (this.host !== null) return false;
        this.host = this.#value(name, end);
        return true;
      case 5:
        return isName(bytes, start, 'x-moz') ? this.#notePurpose(2, name, end) : true;
      case 6:
        return !isName(bytes, start, 'expect');
      case 7:
        return this.#takeSeven(start, name, end);
      case 9:
        return isName(bytes, start, 'x-purpose') ? this.#notePurpose(3, name, end) : true;
      case 10:
        return this.#takeTen(start, name, end);
      case 11:
        return isName(bytes, start, 'sec-purpose') ? this.#notePurpose(0, name, end) : true;
      case 12:
        return isName(bytes, start, 'cf-ipcountry') ? this.#noteCountry(0, name, end) : true;
      case 14:
        if (isName(bytes, start, 'content-length')) return false;
        return isName(bytes, start, 'x-country-code') ? this.#noteCountry(2, name, end) : true;
      case 15:
        return this.#takeFifteen(start, name, end);
      case 17:
        return !isName(bytes, start, 'transfer-encoding');
      case 18:
        if (!isName(bytes, start, 'sec-ch-ua-platform')) return true;
        if (this.platformHint !== null) return false;
        this.platformHint = this.#value(name, end);
        return true;
      case 19:
        return isName(bytes, start, 'x-vercel-ip-country') ? this.#noteCountry(1, name, end) : true;
      default:
        return true;
    }
  }

  /** The standard's name, and those that came before it: Firefox had one of its own. */
  purpose(): string {
    if (this.purposes === null) return '';
    const [standard, plain, firefox, other] = this.purposes;
    return standard ?? plain ?? (this.userAgent?.includes('Firefox/') ? firefox : other) ?? '';
  }

  #takeSeven(start: number, name: number, end: number): boolean {
    const { bytes } = this;
    if (isName(bytes, start, 'referer')) {
      if (this.referer !== null) return false;
      this.referer = this.#value(name, end);
      return true;
    }
    if (isName(bytes, start, 'purpose')) return this.#notePurpose(1, name, end);
    if (isName(bytes, start, 'sec-gpc')) return this.#noteMark(1, name, end);
    return !isName(bytes, start, 'upgrade');
  }

  #takeTen(start: number, name: number, end: number): boolean {
    const { bytes } = this;
    if (isName(bytes, start, 'user-agent')) {
      if (this.userAgent !== null) return false;
      this.userAgent = this.#value(name, end);
      return true;
    }
    if (!isName(bytes, start, 'connection')) return true;
    if (this.connection !== null) return false;
    this.connection = this.#value(name, end).toLowerCase();
    return this.connection === 'keep-alive' || this.connection === 'close';
  }

  #takeFifteen(start: number, name: number, end: number): boolean {
    const { bytes } = this;
    if (isName(bytes, start, 'accept-language')) {
      if (this.acceptLanguage !== null) return false;
      this.acceptLanguage = this.#value(name, end);
    } else if (isName(bytes, start, 'x-forwarded-for')) {
      if (this.forwardedFor !== null) return false;
      this.forwardedFor = this.#value(name, end);
    }
    return true;
  }

  #noteMark(place: number, name: number, end: number): boolean {
    this.marks ??= [null, null];
    return this.#note(this.marks, place, name, end);
  }

  #notePurpose(rank: number, name: number, end: number): boolean {
    this.purposes ??= [null, null, null, null];
    return this.#note(this.purposes, rank, name, end);
  }

  #noteCountry(rank: number, name: number, end: number): boolean {
    this.countries ??= [null, null, null];
    return this.#note(this.countries, rank, name, end);
  }

  #note(values: (string | null)[], rank: number, name: number, end: number): boolean {
    if (values[rank] !== null) return false;
    values[rank] = this.#value(name, end);
    return true;
  }

  #value(name: number, end: number): string {
    return valueBetween(this.bytes, this.text, name + 1, end);
  }
}
