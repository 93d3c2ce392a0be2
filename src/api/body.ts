import { Refusal } from '../rules/errors.ts';

/** The JSON of a body, or undefined where there is none. Never reads past the limit, whatever the length says. */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const text = await readText(request, limit);
  if (text.trim() === '') return undefined;
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new Refusal(
      'CONTENT_TYPE_UNSUPPORTED',
      'Send the body as JSON, with the header "Content-Type: application/json".',
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(
      'BODY_MALFORMED',
      'The body is not valid JSON. Look for a missing quote, a trailing comma or a cut-off end.',
    );
  }
}

async function readText(request: Request, limit: number): Promise<string> {
  try {
    return await readWithin(request, limit);
  } catch (cause) {
    // Whoever hangs up in the middle is no fault of ours.
    if ((cause as Error).name !== 'AbortError') throw cause;
    throw new Refusal('BODY_MALFORMED', 'The body did not arrive whole. Send it again.');
  }
}

async function readWithin(request: Request, limit: number): Promise<string> {
  const tooLarge = () =>
    new Refusal(
      'BODY_TOO_LARGE',
      `The body is too large: at most ${Math.floor(limit / 1024)} KB are taken here.`,
    );
  const announced = request.headers.get('content-length');
  if (announced !== null) {
    if (Number(announced) > limit) throw tooLarge();
    return decode(new Uint8Array(await request.arrayBuffer()));
  }
  if (!request.body) return '';
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request.body) {
    length += part.byteLength;
    if (length > limit) throw tooLarge();
    parts.push(part);
  }
  return decode(Buffer.concat(parts));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('BODY_MALFORMED', 'The body is not valid UTF-8. Save or send it in that encoding.');
  }
}
