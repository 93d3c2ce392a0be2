/** A request as bytes, built once so that sending it costs the load generator next to nothing. */
export function requestBytes(
  port: number,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Uint8Array {
  const text = body === undefined ? '' : JSON.stringify(body);
  const length = Buffer.byteLength(text);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(length > 0 ? ['content-type: application/json', `content-length: ${length}`] : []),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`);
}
