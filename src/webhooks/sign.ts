import { createHmac } from 'node:crypto';
import { signingBytes } from '../rules/signing-key.ts';

interface Message {
  /** The same in every attempt, so that a receiver recognises a repetition. */
  readonly id: string;
  readonly body: string;
}

/** The headers of Standard Webhooks. Without a key nothing is signed; id and timestamp are still sent. */
export function signatureHeaders(
  message: Message,
  key: string | null,
  now: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000));
  const headers = { 'webhook-id': message.id, 'webhook-timestamp': timestamp };
  if (!key) return headers;
  const signature = createHmac('sha256', signingBytes(key))
    .update(`${message.id}.${timestamp}.${message.body}`)
    .digest('base64');
  return { ...headers, 'webhook-signature': `v1,${signature}` };
}
