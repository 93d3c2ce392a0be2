import { createHmac } from 'node:crypto';

const encodedKey = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?)$/;

interface Message {
  /** The same at every attempt, so that a receiver knows a repetition. */
  readonly id: string;
  readonly body: string;
}

/** The headers of Standard Webhooks. Without a key nothing is signed; id and timestamp are sent all the same. */
export function signatureHeaders(
  message: Message,
  key: string | null,
  now: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000));
  const headers = { 'webhook-id': message.id, 'webhook-timestamp': timestamp };
  if (!key) return headers;
  const signature = createHmac('sha256', keyBytes(key))
    .update(`${message.id}.${timestamp}.${message.body}`)
    .digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
}

/** A `whsec_` that isn't followed by base64 was typed by hand, and is used as it is. */
function keyBytes(key: string): Buffer {
  const encoded = encodedKey.exec(key)?.[1];
  return encoded ? Buffer.from(encoded, 'base64') : Buffer.from(key);
}
