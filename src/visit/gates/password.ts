import { cookiesNamed } from '../../http/cookies.ts';
import { dayLength } from '../../rules/durations.ts';
import type { LinkForVisitor } from '../../rules/link-rules/resolve.ts';

/** A guess that has been counted. */
interface Guess {
  /** Uncounts the guess: it was right, or it was never checked. */
  readonly withdraw: () => Promise<void>;
  /** Decides when the password is checked. */
  readonly priority: { readonly clientKey: string; readonly isKnown: boolean };
}

interface PasswordGateParts {
  readonly sign: (text: string) => string;
  readonly verifySignature: (text: string, signature: string) => boolean;
  readonly verifyPassword: (password: string, hash: string, attempt: Guess) => Promise<boolean>;
  /** Counts a guess before it is checked, or refuses it. `browser` is the pass of a browser that gave the password before. */
  readonly reserveGuess: (linkId: number, network: string, browser: string | null) => Promise<Guess>;
  readonly now: () => number;
  readonly secureCookies: boolean;
}

/** The request with a guess. */
interface Attempt {
  readonly headers: Headers;
  readonly network: string;
  /** Of the link, without what follows its suffix. */
  readonly path: string;
}

interface Pass {
  readonly pass: string;
  /** Keeps it in the browser. */
  readonly cookie: string;
}

const cookieName = 'linnet_pass';
const maxPasses = 8;
const passLifetime = dayLength;
/**
 * An expired pass grants nothing, but for this long it shows that this browser once sent the right password: its guesses are
 * counted separately.
 */
const knownLifetime = 90 * dayLength;

/** Admits visitors with the password, and remembers that in a cookie for this link until the password changes. */
export class PasswordGate {
  readonly #parts: PasswordGateParts;

  constructor(parts: PasswordGateParts) {
    this.#parts = parts;
  }

  /** `passInForm`: as it came with a form. Browsers that take no cookies have no other. */
  hasPass(link: LinkForVisitor, headers: Headers, passInForm: string | null = null): boolean {
    if (passInForm !== null && this.#isValid(link, passInForm, 0)) return true;
    return this.#passFor(link, headers, 0) !== null;
  }

  /** The pass if the password is right; null if it is wrong. Throws after too many guesses. */
  async tryPassword(
    link: LinkForVisitor,
    password: string,
    { headers, network, path }: Attempt,
  ): Promise<Pass | null> {
    const browser = this.#passFor(link, headers, knownLifetime);
    const guess = await this.#parts.reserveGuess(link.id, network, browser);
    const isRight = await this.#verify(link, password, guess).catch(async (cause) => {
      // A guess that was never checked doesn't count.
      await guess.withdraw();
      throw cause;
    });
    if (!isRight) return null;
    await guess.withdraw();
    return this.#newPass(link, path);
  }

  async #verify({ options }: LinkForVisitor, password: string, guess: Guess): Promise<boolean> {
    const passwordHash = options?.passwordHash ?? null;
    return passwordHash !== null && (await this.#parts.verifyPassword(password, passwordHash, guess));
  }

  #newPass(link: LinkForVisitor, path: string): Pass {
    const until = this.#parts.now() + passLifetime;
    const pass = `${until}.${this.#parts.sign(signedText(link, until))}`;
    const secure = this.#parts.secureCookies ? '; Secure' : '';
    const cookie = `${cookieName}=${pass}; Path=${withoutTrailingSlash(path)}; Max-Age=${knownLifetime / 1000}; HttpOnly; SameSite=Lax${secure}`;
    return { pass, cookie };
  }

  /** A valid pass for this link, or one that expired at most `grace` ago. */
  #passFor(link: LinkForVisitor, headers: Headers, grace: number): string | null {
    const cookies = headers.get('cookie');
    if (!cookies?.includes(cookieName)) return null;
    // A link at /a/b also receives the cookie of the link at /a, after its own.
    const passes = cookiesNamed(cookieName, cookies).slice(0, maxPasses);
    return passes.find((pass) => this.#isValid(link, pass, grace)) ?? null;
  }

  #isValid(link: LinkForVisitor, pass: string, grace: number): boolean {
    // Exactly as it was set, as it identifies the browser.
    const [, until = '', signature = ''] = /^([1-9]\d{12})\.([\w-]{43})$/.exec(pass) ?? [];
    return (
      Number(until) + grace > this.#parts.now() &&
      this.#parts.verifySignature(signedText(link, Number(until)), signature)
    );
  }
}

/** Visitors may add a trailing slash, and the next visit may come without it. */
const withoutTrailingSlash = (path: string): string => path.replace(/\/$/, '');

/** The signed text. It includes the password's hash, so that a new password invalidates every pass. */
const signedText = ({ id, options }: LinkForVisitor, until: number): string =>
  `${id}|${options?.passwordHash ?? null}|${until}`;
