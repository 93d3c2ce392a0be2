/** Answers that end a connection before its request has reached the app server. */
const lastAnswer = (status: string, headerLine: string, error: { code: string; message: string }) => {
  const body = JSON.stringify({
    status_code: Number(status.slice(0, 3)),
    error_code: error.code,
    error_string: error.message,
  });
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json;charset=utf-8\r\nContent-Length: ${body.length}\r\n`;
  return (id: string): string =>
    `${head}Cache-Control: no-store\r\n${headerLine}X-Request-Id: ${id}\r\nConnection: close\r\n\r\n${body}`;
};

export const tooBusy = lastAnswer('503 Service Unavailable', 'Retry-After: 1\r\n', {
  code: 'BUSY',
  message: 'Too many connections at the moment. Try again in a second.',
});

export const tooSlow = lastAnswer('408 Request Timeout', '', {
  code: 'REQUEST_INCOMPLETE',
  message: 'The request did not arrive completely, and others were waiting.',
});
