/** An answer as it goes over the wire, save for its date: made once, sent many times. */
export interface OnWire {
  readonly head: string;
  readonly body: string;
}

/** For pages of ASCII, as ours are; null for any other. */
export async function onWire(page: Response, reason: string): Promise<OnWire | null> {
  const body = await page.text();
  const lines = [...page.headers].map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${page.status} ${reason}\r\n${lines.join('')}Content-Length: ${body.length}\r\n`;
  return /[^\n\r\x20-\x7e]/.test(head + body) ? null : { head, body };
}
