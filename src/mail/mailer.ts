import { createTransport } from 'nodemailer';
import { asciiEmail } from '../rules/account.ts';
import { withTimeout } from '../structures/with-timeout.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface MailerParts {
  /** smtp://user:password@host:port or smtps://… */
  readonly url: string;
  readonly from: { readonly name: string; readonly address: string };
  /** How long sending one mail may take, in milliseconds: a client waits for the response. */
  readonly deadline: number;
  readonly warn: (event: string, facts: Record<string, unknown>) => void;
}

/** Sends each mail over a connection of its own: there are few, and none waits for another. */
export class Mailer {
  readonly #parts: MailerParts;
  readonly #transport: ReturnType<typeof transportTo>;

  constructor(parts: MailerParts) {
    this.#parts = parts;
    this.#transport = transportTo(parts.url);
  }

  /** False if the server refused it: that is logged, and never thrown. */
  async send(mail: Mail): Promise<boolean> {
    const { from, deadline } = this.#parts;
    try {
      await this.#transport.sendMail({
        ...mail,
        from,
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.timeout(deadline),
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return true;
    } catch (cause) {
      this.#parts.warn('mail not sent', { error: reason(cause, mail.to) });
      return false;
    }
  }

  /** Connects and signs in, and sends nothing. Null if that works, otherwise the server's message. */
  async check(): Promise<string | null> {
    const checked = this.#transport.verify().then(
      () => null,
      (cause: unknown) => reason(cause, ''),
    );
    return withTimeout(this.#parts.deadline, checked, () => 'it took too long');
  }

  /** Logs a mail that is not sent at all. */
  logUnsent(why: string): void {
    this.#parts.warn('mail not sent', { error: why });
  }
}

function transportTo(url: string) {
  const { hostname, password } = new URL(url);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return createTransport({
    url,
    // The password is sent encrypted or not at all, even if TLS is stripped on the way.
    requireTLS: password !== '' && !isLocal,
  });
}

/** Logged without the recipient's address, which goes to the server with its domain in ASCII. */
function reason(cause: unknown, to: string): string {
  const { message, name } = cause as { message?: string; name?: string };
  if (name === 'TimeoutError' || name === 'AbortError') return 'the mail server took too long';
  const text = message ?? String(cause);
  const withoutAddress =
    to === '' ? text : text.replaceAll(to, '(address)').replaceAll(asciiEmail(to), '(address)');
  return withoutAddress.slice(0, 500);
}
