import { statusText } from '../../http/status-text.ts';

/** All other methods are refused with 501. */
export const answeredMethods: readonly string[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
];

const sentences = {
  400: 'The request is not well-formed HTTP.',
  408: 'The request did not arrive in time.',
  414: 'The address is too long.',
  431: 'The headers are too large.',
  501: `This method is not supported. Supported methods: ${answeredMethods.join(', ')}.`,
  502: 'The response was interrupted on its way.',
  504: 'There was no answer in time.',
  505: 'Only HTTP/1.1 and HTTP/1.0 are supported here.',
} as const;

export type RefusedStatus = keyof typeof sentences;

/** The answer, except for its date, to a request that reaches no handler. The connection ends with it. */
export function refusal(status: RefusedStatus, method: string): { head: string; body: string } {
  const body = `${sentences[status]}\n`;
  const head = `HTTP/1.1 ${status} ${statusText[status]}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n`;
  return { head, body: method === 'HEAD' ? '' : body };
}
