/**
 * The reason phrases of the statuses that visits are answered with. `node:http` has them too, but loading it takes a thread 6 to 9 ms
 * of its start.
 */
export const statusText: Readonly<Record<number, string>> = {
  200: 'OK',
  301: 'Moved Permanently',
  302: 'Found',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  410: 'Gone',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};
