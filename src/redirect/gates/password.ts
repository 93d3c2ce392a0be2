import type { LinkForVisitor } from '../../rules/resolve.ts';

export interface PasswordGateParts {
  readonly sign: (text: string) => string;
  readonly verifySignature: (text: string, signature: string) => boolean;
  readonly verifyPassword: (password: string, hash: string) => Promise<boolean>;
  /** Counts a guess before it is looked at, or refuses; gives a function that takes a right one back. */
  readonly reserveGuess: (linkId: number, network: string) => Promise<() => Promise<void>>;
  readonly now: () => number;
  readonly secureCookies: boolean;
}

const cookieName = 'linnet_pass';
const mostPasses = 8;
const passLifetime = 24 * 60 * 60 * 1000;

/** Lets in who knows the password, and remembers it for this link alone until the password changes. */
export class PasswordGate {
  readonly #parts: PasswordGateParts;

  constructor(parts: PasswordGateParts) {
    this.#parts = parts;
  }

  hasPass(link: LinkForVisitor, headers: Headers): boolean {
    const cookies = headers.get('cookie');
    return (
      cookies?.includes(cookieName) === true && passesIn(cookies).some((pass) => this.#isGood(link, pass))
    );
  }

  /** The cookie to set when the password is right, null when it is wrong. Throws when there were too many guesses. */
  async tryPassword(
    link: LinkForVisitor,
    password: string,
    network: string,
    path: string,
  ): Promise<string | null> {
    const forgive = await this.#parts.reserveGuess(link.id, network);
    const isRight = await this.#verify(link, password).catch(async (cause) => {
      // A guess that nobody looked at is none.
      await forgive();
      throw cause;
    });
    if (!isRight) return null;
    await forgive();
    return this.#cookie(link, path);
  }

  async #verify({ passwordHash }: LinkForVisitor, password: string): Promise<boolean> {
    return passwordHash !== null && (await this.#parts.verifyPassword(password, passwordHash));
  }

  #cookie(link: LinkForVisitor, path: string): string {
    const until = this.#parts.now() + passLifetime;
    const pass = `${until}.${this.#parts.sign(claim(link, until))}`;
    const secure = this.#parts.secureCookies ? '; Secure' : '';
    return `${cookieName}=${pass}; Path=${withoutEnd(path)}; Max-Age=${passLifetime / 1000}; HttpOnly; SameSite=Lax${secure}`;
  }

  #isGood(link: LinkForVisitor, pass: string): boolean {
    const [until = '', signature = ''] = pass.split('.');
    return (
      Number(until) > this.#parts.now() && this.#parts.verifySignature(claim(link, Number(until)), signature)
    );
  }
}

/** A slash at the end is what people add: the next visit may come without it. */
const withoutEnd = (path: string): string => path.replace(/\/$/, '');

/** The hash of the password is part of it, so that a changed password ends every pass. */
const claim = (link: LinkForVisitor, until: number): string => `${link.id}|${link.passwordHash}|${until}`;

/** A link at /a/b also sees the cookie of the link at /a: those of that name are looked at, the nearest come first. */
function passesIn(cookies: string): string[] {
  return cookies
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${cookieName}=`))
    .slice(0, mostPasses)
    .map((cookie) => cookie.slice(cookieName.length + 1));
}
