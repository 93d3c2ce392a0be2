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

/** Whether reading a form failed because its visitor has disconnected, which is not our fault. */
export const isCutOff = (cause: unknown): boolean => cause instanceof Error && cause.name === 'AbortError';

/** The form field of a captcha's page that shows that the visitor has sent the password: their browser may take no cookies. */
export const passField = 'pass';

/** The form field that carries the Referer of the visit: browsers send no Referer with the forms of our pages. */
export const refererField = 'referrer';

/**
 * The Referer in a form, or null. It isn't signed, as any client can send any Referer; but it may only hold what a header could,
 * because the journal has one line for it.
 */
export function refererInForm(form: URLSearchParams): string | null {
  const referer = form.get(refererField);
  return referer !== null && isReferer(referer) ? referer : null;
}

const isReferer = (referer: string): boolean =>
  /^(?:https?|android-app|ios-app):[\x21-\x7e]{1,1000}$/i.test(referer);

/** The part of a Referer that a form carries, at most as long as a page allows; '' if there is none. */
export function refererForForm(referer: string): string {
  const start = referer.slice(0, 1_000);
  return isReferer(start) ? start : '';
}
