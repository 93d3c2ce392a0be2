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
