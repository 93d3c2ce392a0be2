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

const reasons = {
  400: ['Bad Request', 'The request is not well-formed HTTP.'],
  408: ['Request Timeout', 'The request did not arrive in time.'],
  414: ['URI Too Long', 'The address is too long.'],
  431: ['Request Header Fields Too Large', 'The headers are too large.'],
  501: ['Not Implemented', `The method is not known here. Known methods: ${answeredMethods.join(', ')}.`],
  502: ['Bad Gateway', 'The answer was lost on its way.'],
  504: ['Gateway Timeout', 'There was no answer in time.'],
  505: ['HTTP Version Not Supported', 'Only HTTP/1.1 and HTTP/1.0 are supported here.'],
} as const;

export type RefusedStatus = keyof typeof reasons;

/** The answer, except for its date, to a request that reaches no handler. The connection ends with it. */
export function refusal(status: RefusedStatus, method: string): { head: string; body: string } {
  const [reason, sentence] = reasons[status];
  const body = `${sentence}\n`;
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n`;
  return { head, body: method === 'HEAD' ? '' : body };
}
