/** How far a message reaches, head and body, in bytes. */
export interface Framing {
  readonly method: string;
  readonly length: number;
}

const requestLine = /^([A-Z]{3,16}) [\x21-\x7e]+ HTTP\/1\.1\r\n/;
/** As narrow as HTTP allows: what is written any other way is not ours to guess at. */
const headerLine = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\x20-\x7e]*)\r\n/y;

/**
 * How far the request at the beginning of these bytes reaches; null where its head isn't all there, or where anything
 * about its end could be read in another way by somebody else.
 */
export function framingOf(bytes: Buffer): Framing | null {
  const text = bytes.toString('latin1');
  const [line = '', method = 'CONNECT'] = requestLine.exec(text) ?? [];
  if (method === 'CONNECT') return null;
  let body: number | null = null;
  let at = line.length;
  while (!text.startsWith('\r\n', at)) {
    headerLine.lastIndex = at;
    const [header = '', name = '', content = ''] = headerLine.exec(text) ?? [];
    if (header === '') return null;
    const value = content.trim();
    switch (name.toLowerCase()) {
      case 'content-length':
        if (body !== null || !/^\d{1,12}$/.test(value)) return null;
        body = Number(value);
        break;
      case 'connection':
        if (value.toLowerCase() !== 'keep-alive') return null;
        break;
      case 'transfer-encoding':
      case 'upgrade':
      case 'expect':
        return null;
    }
    at += header.length;
  }
  return { method, length: at + 2 + (body ?? 0) };
}

const answerHead = /^HTTP\/1\.1 ([2-5]\d\d)[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/;

/** How far an answer of our own server reaches, of which this is the beginning; null where only its end will tell. */
export function answerLength(text: string, method: string): number | null {
  const head = answerHead.exec(text);
  if (!head || /\r\n(?:transfer-encoding|upgrade|connection: *close)/i.test(head[0])) return null;
  if (method === 'HEAD' || head[1] === '204' || head[1] === '304') return head[0].length;
  const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(head[0])?.[1];
  return length === undefined ? null : head[0].length + Number(length);
}
