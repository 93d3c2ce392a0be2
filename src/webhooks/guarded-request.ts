import { lookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { type Address, readAddress } from '../rules/address-rules.ts';
import { normaliseHostname } from '../rules/host.ts';
import type { AllowList } from '../rules/webhook-allow.ts';
import { parseRetryAfter } from './back-off.ts';
import { checkTarget, portOf, type Resolver, resolveTarget, withoutBrackets } from './target-guard.ts';

const maxAnswer = 64 * 1024;
const maxHeader = 16 * 1024;
/** No character of UTF-8 is longer than four bytes. */
const bytesPerCharacter = 4;
const maxAddresses = 4;
const maxInterim = 16;

interface OutgoingRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Null: no body is sent. */
  readonly body: string | null;
  /** How many characters of the answer's body are kept. */
  readonly kept: number;
  /** Aborts the call, as when the program stops. */
  readonly signal?: AbortSignal;
}

/** Tests replace these. */
export interface RequestOptions {
  readonly lookup?: Resolver;
  /** Milliseconds for everything: name, connection, headers, body. */
  readonly deadline?: number;
  readonly now?: () => number;
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string;
}

/** Durations and `retryAfter` are milliseconds. */
export type Attempt =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: number | null;
      readonly location: string | null;
      readonly excerpt: string;
      readonly duration: number;
    }
  | { readonly kind: 'refused'; readonly sentence: string }
  | {
      readonly kind: 'failed';
      readonly sentence: string;
      readonly duration: number;
      readonly fault: Fault;
    };

/** There was no connection in time, no accepted certificate, or an answer that isn't HTTP. */
export type Fault = 'connection' | 'certificate' | 'protocol';

/**
 * Resolves a name as this machine does, with its hosts file and search domains, so that a local service has the name that its
 * operator uses. The resolver needn't be trusted: every address is checked. Bun resolves without blocking a thread (by c-ares on
 * Linux), so a silent name server doesn't block other requests.
 */
export const systemResolver: Resolver = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

/**
 * Sends a request to a target, if the guard allows it, at an address that the guard has checked. Follows no redirect. Never
 * rejects.
 */
export async function guardedRequest(
  target: string,
  outgoing: OutgoingRequest,
  allowed: AllowList,
  { lookup = systemResolver, deadline = 10_000, now = Date.now, ca }: RequestOptions = {},
): Promise<Attempt> {
  const checked = checkTarget(target, allowed);
  if (!checked.ok) return { kind: 'refused', sentence: checked.sentence };
  const { url } = checked;
  const startedAt = performance.now();
  const duration = () => Math.round(performance.now() - startedAt);
  const aborter = new AbortController();
  const abortCall = () => aborter.abort(new CallFailure('The request was cancelled.'));
  const timer = setTimeout(() => aborter.abort(new CallFailure(lateSentence(deadline))), deadline);
  outgoing.signal?.addEventListener('abort', abortCall, { once: true });
  if (outgoing.signal?.aborted) abortCall();
  try {
    const found = await Promise.race([
      resolveTarget(url.hostname, portOf(url), lookup, allowed),
      rejection(aborter.signal),
    ]);
    if (found.kind === 'refused') return found;
    if (found.kind === 'unresolved') throw new CallFailure(found.sentence);
    const answer = await exchange(url, found.addresses, outgoing, aborter.signal, ca);
    const retryAfter = parseRetryAfter(answer.retryAfter, now());
    return { kind: 'answered', ...answer, retryAfter, duration: duration() };
  } catch (cause) {
    return { kind: 'failed', ...failureOf(cause), duration: duration() };
  } finally {
    clearTimeout(timer);
    outgoing.signal?.removeEventListener('abort', abortCall);
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly location: string | null;
  readonly excerpt: string;
}

/**
 * One request over a connection of its own. The status is the result: once it has arrived, a truncated body (too long, too slow,
 * broken) only shortens the excerpt.
 */
function exchange(
  url: URL,
  addresses: readonly Address[],
  { method, headers, body, kept }: OutgoingRequest,
  signal: AbortSignal,
  ca: string | undefined,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  signal.throwIfAborted();
  const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const request = requestTo(url, addresses, { method, headers: { ...headers, ...length } }, ca);
  let settle = (cause: unknown): void => reject(cause);
  const end = (cause: unknown) => {
    settle(cause);
    request.destroy();
  };
  signal.addEventListener('abort', () => end(signal.reason), { once: true });
  let interim = 0;
  request.on('information', () => {
    if (++interim > maxInterim) end(new CallFailure('The target sent no final response.'));
  });
  request.on('response', (response) => {
    const excerpt = new Excerpt(response.headers['content-encoding'], kept);
    const [status, retryAfter] = [response.statusCode ?? 0, response.headers['retry-after']];
    const location = locationIn(response);
    settle = () => resolve({ status, retryAfter, location, excerpt: excerpt.text() });
    response.on('data', (chunk: Buffer) => {
      if (!excerpt.take(chunk)) end(null);
    });
    response.on('error', end);
    response.on('close', () => end(null));
  });
  request.on('error', end);
  request.on('close', () => end(new CallFailure('The target closed the connection without an answer.')));
  if (body === null) request.end();
  else request.end(body);
  return promise;
}

/** A request that has yet to be sent, over a connection of its own to one of these addresses. */
export function requestTo(
  url: URL,
  addresses: readonly Address[],
  { method, headers }: Pick<OutgoingRequest, 'method' | 'headers'>,
  ca: string | undefined,
): http.ClientRequest {
  const options = {
    method,
    agent: false,
    headers: { ...headers, 'accept-encoding': 'identity' },
    lookup: pinnedLookup(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 2000,
    maxHeaderSize: maxHeader,
  };
  return url.protocol === 'https:'
    ? https.request(url, { ...options, ...tlsOptions(url.hostname, ca) })
    : http.request(url, options);
}

/**
 * The address that an answer redirects to. Bytes beyond ASCII, which many sites send in UTF-8, are percent-encoded as browsers do:
 * here each of them is a character.
 */
export const locationIn = ({ headers }: http.IncomingMessage): string | null =>
  headers.location?.replace(/[\u0080-\u00ff]/g, percentEncoded) ?? null;

const percentEncoded = (byte: string): string => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;

/** The host for TLS: never an address, never with a trailing dot. */
const tlsOptions = (hostname: string, ca: string | undefined) => ({
  servername: readAddress(withoutBrackets(hostname)) ? '' : normaliseHostname(hostname),
  rejectUnauthorized: true,
  ...(ca === undefined ? {} : { ca }),
});

/** Answers every name with the addresses that were checked, so that nothing is resolved a second time. */
function pinnedLookup(addresses: readonly Address[]): LookupFunction {
  const all = addresses.slice(0, maxAddresses).map((address) => ({
    address: address.toString(),
    family: address.kind() === 'ipv6' ? 6 : 4,
  }));
  const [first] = all;
  return (_name, options, callback) => {
    if (options.all || !first) callback(null, all);
    else callback(null, first.address, first.family);
  };
}

class Excerpt {
  readonly #encoding: string | null;
  readonly #characters: number;
  readonly #maxLength: number;
  /** Has room for more than it holds: with a copy for each chunk, an answer of very small ones would take many seconds. */
  #bytes = Buffer.alloc(0);
  #kept = 0;
  #length = 0;

  constructor(contentEncoding: string | undefined, characters: number) {
    this.#characters = characters;
    this.#maxLength = Math.max(maxAnswer, characters);
    const encoding = contentEncoding?.trim().toLowerCase() || 'identity';
    this.#encoding = encoding === 'identity' ? null : encoding.replace(/[^a-z0-9, -]/g, '').slice(0, 40);
  }

  /** False if enough was read. */
  take(chunk: Buffer): boolean {
    const max = this.#characters * bytesPerCharacter;
    const end = Math.min(max, this.#kept + chunk.length);
    if (end > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes], Math.min(max, Math.max(end, this.#bytes.length * 2)));
    this.#kept += chunk.copy(this.#bytes, this.#kept, 0, end - this.#kept);
    this.#length += chunk.length;
    return this.#length < this.#maxLength;
  }

  text(): string {
    if (this.#encoding !== null) {
      const bytes =
        this.#length < this.#maxLength ? `${this.#length} bytes` : `at least ${this.#maxLength} bytes`;
      return `(${bytes} of ${this.#encoding}, not unpacked)`;
    }
    const text = new TextDecoder()
      .decode(this.#bytes.subarray(0, this.#kept), { stream: true })
      .slice(0, this.#characters);
    // PostgreSQL can't store NUL, and a page has no use for control characters.
    return text.toWellFormed().replace(/[^\P{Cc}\t\n\r]/gu, '\ufffd');
  }
}

/** A failure whose message is a sentence of ours. */
class CallFailure extends Error {}

export function rejection(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}

const lateSentence = (deadline: number): string => `There was no answer within ${deadline / 1000} seconds.`;

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The target refused the connection.',
  ECONNRESET: 'The target closed the connection without an answer.',
  EPIPE: 'The target closed the connection without an answer.',
  EHOSTUNREACH: 'There is no route to the target from here.',
  ENETUNREACH: 'There is no route to the target from here.',
  ETIMEDOUT: 'The target did not accept the connection in time.',
  HPE_HEADER_OVERFLOW: 'The headers of the answer are too long.',
};

/** What the owner of a webhook or a link may learn about a failure: no address, and no path of ours. */
function failureOf(cause: unknown): { readonly sentence: string; readonly fault: Fault } {
  if (cause instanceof CallFailure) return { sentence: cause.message, fault: 'connection' };
  const code =
    cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'UNKNOWN';
  if (code.startsWith('HPE_'))
    return { sentence: sentences[code] ?? `The target did not answer in HTTP (${code}).`, fault: 'protocol' };
  const sentence = sentences[code];
  if (sentence !== undefined) return { sentence, fault: 'connection' };
  if (/CERT|SIGNED|ISSUER|VERIFY/.test(code))
    return { sentence: `The target's certificate is not accepted (${code}).`, fault: 'certificate' };
  return { sentence: `The connection failed (${code}).`, fault: 'connection' };
}
