import type { Address } from '../rules/address-rules.ts';
import { hasLongHost } from '../rules/host.ts';
import type { AllowList } from '../rules/webhook-allow.ts';
import { locationIn, type RequestOptions, rejection, requestTo, systemResolver } from './guarded-request.ts';
import { checkTarget, portOf, resolveTarget } from './target-guard.ts';

const maxRedirects = 3;
const redirects = [301, 302, 303, 307, 308];

export type PageOptions = Pick<RequestOptions, 'lookup' | 'deadline' | 'ca'>;

interface PageRequest {
  readonly accept: string;
  readonly acceptsType: (contentType: string) => boolean;
  /** Bytes. A longer body is truncated, or not read at all. */
  readonly max: number;
  readonly mustBeWhole: boolean;
  /** Aborts the call, as when the program stops. */
  readonly signal: AbortSignal;
}

/** The body, and its final address. */
export interface FetchedPage {
  readonly url: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/**
 * Fetches a web address, if the guard allows it: each redirect is another address, which the guard checks again. Null
 * if there is no such body, for whatever reason. Never rejects, and ends by the deadline.
 */
export async function guardedPage(
  address: string,
  requested: PageRequest,
  allowed: AllowList,
  { lookup = systemResolver, deadline = 10_000, ca }: PageOptions = {},
): Promise<FetchedPage | null> {
  const signal = AbortSignal.any([requested.signal, AbortSignal.timeout(deadline)]);
  let next = address;
  try {
    for (let hop = 0; hop <= maxRedirects; hop++) {
      const checked = checkTarget(next, allowed);
      if (!checked.ok) return null;
      const { url } = checked;
      url.hash = '';
      const found = await Promise.race([
        resolveTarget(url.hostname, portOf(url), lookup, allowed),
        rejection(signal),
      ]);
      if (found.kind !== 'checked') return null;
      const answer = await read(url, found.addresses, requested, signal, ca);
      if (answer === null || typeof answer !== 'string') return answer;
      const target = hasLongHost(answer) ? null : URL.parse(answer, url.href);
      if (target === null) return null;
      next = target.href;
    }
    return null;
  } catch {
    return null;
  }
}

/** The page; a string is the next address to fetch. */
function read(
  url: URL,
  addresses: readonly Address[],
  { accept, acceptsType: isWanted, max, mustBeWhole: whole }: PageRequest,
  signal: AbortSignal,
  ca: string | undefined,
): Promise<FetchedPage | string | null> {
  const { promise, resolve } = Promise.withResolvers<FetchedPage | string | null>();
  const headers = { accept, 'user-agent': 'Linnet (titles of destinations)' };
  const request = requestTo(url, addresses, { method: 'GET', headers }, ca);
  const end = (result: FetchedPage | string | null) => {
    resolve(result);
    request.destroy();
  };
  signal.addEventListener('abort', () => end(null), { once: true });
  if (signal.aborted) end(null);
  request.on('response', (response) => {
    const { statusCode = 0, headers } = response;
    const contentType = headers['content-type'] ?? '';
    response.on('error', () => end(null));
    if (redirects.includes(statusCode)) return end(locationIn(response));
    const isPlain = /^(?:identity)?$/i.test(headers['content-encoding']?.trim() ?? '');
    if (statusCode !== 200 || !isPlain || !isWanted(contentType)) return end(null);
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = () => end({ url: url.href, contentType, bytes: Buffer.concat(chunks).subarray(0, max) });
    response.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > max && whole) return end(null);
      chunks.push(chunk);
      if (length >= max) finish();
    });
    response.on('close', finish);
  });
  request.on('error', () => end(null));
  request.on('close', () => end(null));
  request.end();
  return promise;
}
