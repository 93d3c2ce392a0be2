import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** By lower-case name, unfolded, with encoded words decoded. */
  readonly headers: ReadonlyMap<string, string>;
  /** Decoded bodies by media type. */
  readonly parts: Readonly<Record<string, string>>;
  readonly isEncrypted: boolean;
}

export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** The user names and passwords of the logins, in order. */
  readonly logins: string[];
}

/** A real SMTP server on a free port. Without a certificate it doesn't offer TLS. */
export async function startMailServer(
  options: SMTPServerOptions = {},
  host = '127.0.0.1',
): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const logins: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.cert === undefined ? ['STARTTLS'] : [],
    allowInsecureAuth: true,
    onAuth({ username, password }, _, done) {
      logins.push(`${username}:${password}`);
      if (password === 'right horse') done(null, { user: username });
      else done(new Error('Invalid username or password'));
    },
    onData(stream, { envelope, secure }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          ...parseMail(Buffer.concat(chunks).toString('latin1')),
          isEncrypted: secure,
        });
        done();
      });
    },
    ...options,
  });
  // Some tests disconnect in the middle of an SMTP session.
  server.on('error', () => {});
  const { promise, resolve } = Promise.withResolvers<void>();
  const listening = server.listen(0, host, resolve);
  await promise;
  const address = listening.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    mails,
    logins,
    [Symbol.asyncDispose]: () => new Promise<void>((closed) => server.close(() => closed())),
  };
}

function parseMail(raw: string): Pick<ReceivedMail, 'headers' | 'parts'> {
  const { headers, body } = parseEntity(raw);
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get('content-type') ?? '')?.[1];
  const parts: Record<string, string> = {};
  for (const piece of boundary ? body.split(`--${boundary}`).slice(1, -1) : [raw]) {
    const part = parseEntity(piece.replace(/^\r\n/, ''));
    const [type = ''] = (part.headers.get('content-type') ?? '').split(';');
    parts[type] = decodeBody(part.body, part.headers.get('content-transfer-encoding') ?? '7bit');
  }
  return { headers, parts };
}

function parseEntity(raw: string): { headers: Map<string, string>; body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())];
    }),
  );
  return { headers, body: raw.slice(end + 4) };
}

/** Decodes encoded words (RFC 2047). */
const decodeWords = (text: string): string =>
  text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, content: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(content, 'base64').toString('latin1')
        : Buffer.from(decodeQuotedPrintable(content.replaceAll('_', ' ')), 'latin1').toString('latin1'),
    )
    .replace(/[\x80-\xff]+/g, (bytes) => Buffer.from(bytes, 'latin1').toString('utf8'));

const decodeQuotedPrintable = (text: string): string =>
  text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

function decodeBody(body: string, encoding: string): string {
  const bytes = encoding === 'base64' ? Buffer.from(body, 'base64').toString('latin1') : body;
  const plain = encoding === 'quoted-printable' ? decodeQuotedPrintable(bytes) : bytes;
  return Buffer.from(plain, 'latin1').toString('utf8').replaceAll('\r\n', '\n');
}
