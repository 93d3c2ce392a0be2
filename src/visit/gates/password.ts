import type { LinkForVisitor } from '../../rules/resolve.ts';

/** A guess that is counted. */
interface Guess {
  /** It was right, or nobody looked at it: it doesn't count. */
  readonly forgive: () => Promise<void>;
  /** In which turn its password is checked. */
  readonly turn: { readonly party: string; readonly isKnown: boolean };
}

interface PasswordGateParts {
  readonly sign: (text: string) => string;
  readonly verifySignature: (text: string, signature: string) => boolean;
  readonly verifyPassword: (password: string, hash: string, attempt: Guess) => Promise<boolean>;
  /** Counts a guess before it is looked at, or refuses. `browser` is one that got in here before. */
  readonly reserveGuess: (linkId: number, network: string, browser: string | null) => Promise<Guess>;
  readonly now: () => number;
  readonly secureCookies: boolean;
}

/** The request that a guess is sent with. */
interface Attempt {
  readonly headers: Headers;
  readonly network: string;
  readonly path: string;
}

const cookieName = 'linnet_pass';
const maxPasses = 8;
const day = 24 * 60 * 60 * 1000;
const passLifetime = day;
/** After its day a pass opens nothing, but shows for so long that this browser got in: its guesses are counted apart. */
const knownLifetime = 90 * day;

/** Lets in who knows the password, and remembers it for this link alone until the password changes. */
export class PasswordGate {
  readonly #parts: PasswordGateParts;

  constructor(parts: PasswordGateParts) {
    this.#parts = parts;
  }

  hasPass(link: LinkForVisitor, headers: Headers): boolean {
    return this.#passFor(link, headers, 0) !== null;
  }

  /** The cookie to set when the password is right, null when it is wrong. Throws when there were too many guesses. */
  async tryPassword(
    link: LinkForVisitor,
    password: string,
    { headers, network, path }: Attempt,
  ): Promise<string | null> {
    const browser = this.#passFor(link, headers, knownLifetime);
    const guess = await this.#parts.reserveGuess(link.id, network, browser);
    const isRight = await this.#verify(link, password, guess).catch(async (cause) => {
      // A guess that nobody looked at is none.
      await guess.forgive();
      throw cause;
    });
    if (!isRight) return null;
    await guess.forgive();
    return this.#cookie(link, path);
  }

  async #verify({ options }: LinkForVisitor, password: string, guess: Guess): Promise<boolean> {
    const passwordHash = options?.passwordHash ?? null;
    return passwordHash !== null && (await this.#parts.verifyPassword(password, passwordHash, guess));
  }

  #cookie(link: LinkForVisitor, path: string): string {
    const until = this.#parts.now() + passLifetime;
    const pass = `${until}.${this.#parts.sign(claim(link, until))}`;
    const secure = this.#parts.secureCookies ? '; Secure' : '';
    return `${cookieName}=${pass}; Path=${withoutEnd(path)}; Max-Age=${knownLifetime / 1000}; HttpOnly; SameSite=Lax${secure}`;
  }

  /** A pass that was given for this link, at most so long after its end. */
  #passFor(link: LinkForVisitor, headers: Headers, grace: number): string | null {
    const cookies = headers.get('cookie');
    if (!cookies?.includes(cookieName)) return null;
    return passesIn(cookies).find((pass) => this.#isGood(link, pass, grace)) ?? null;
  }

  #isGood(link: LinkForVisitor, pass: string, grace: number): boolean {
    const [until = '', signature = ''] = pass.split('.');
    return (
      Number(until) + grace > this.#parts.now() &&
      this.#parts.verifySignature(claim(link, Number(until)), signature)
    );
  }
}

/** A slash at the end is what people add: the next visit may come without it. */
const withoutEnd = (path: string): string => path.replace(/\/$/, '');

/** The hash of the password is part of it, so that a changed password ends every pass. */
const claim = ({ id, options }: LinkForVisitor, until: number): string =>
  `${id}|${options?.passwordHash ?? null}|${until}`;

/** A link at /a/b also sees the cookie of the link at /a: those of that name are looked at, the nearest come first. */
function passesIn(cookies: string): string[] {
  return cookies
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(`${cookieName}=`))
    .slice(0, maxPasses)
    .map((cookie) => cookie.slice(cookieName.length + 1));
}
