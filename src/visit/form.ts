const maxBytes = 16 * 1024;

/** The fields of a submitted form, or null for any other body. Never reads more than `maxBytes`. */
export async function readForm(request: Request): Promise<URLSearchParams | null> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return null;
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return null;
  const parts: Uint8Array[] = [];
  let length = 0;
  // A proxy may forward a form in chunks, without Content-Length.
  for await (const part of request.body ?? []) {
    length += part.byteLength;
    if (length > maxBytes) return null;
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString('utf8'));
}

/** The field in which the forms of our pages carry where the visitor came from: browsers send no Referer with them. */
export const refererField = 'referrer';

/**
 * The Referer that a form carries, or null. It isn't signed, as anybody can send any Referer; but it can't hold what a header
 * couldn't, as the journal has a line for it.
 */
export function carriedReferer(form: URLSearchParams): string | null {
  const referer = form.get(refererField);
  return referer !== null && isReferer(referer) ? referer : null;
}

const isReferer = (referer: string): boolean =>
  /^(?:https?|android-app|ios-app):[\x21-\x7e]{1,1000}$/i.test(referer);

/** What a form is to carry of a Referer: as much as a page has room for, '' where it is none. */
export function refererToCarry(referer: string): string {
  const start = referer.slice(0, 1_000);
  return isReferer(start) ? start : '';
}
