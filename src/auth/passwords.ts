import { Refusal } from '../rules/errors.ts';

/** 19 MiB and two passes: what OWASP gives as the least for argon2id. Bun's default would take 64 MiB a guess. */
const cost = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;
const mostAtOnce = 2;
const mostWaiting = 64;

/** Hashing is made to be slow: a few at a time, a bounded queue, and past that an honest "later". */
export class Passwords {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  #decoy: Promise<string> | undefined;

  hash(password: string): Promise<string> {
    return this.#inTurn(() => Bun.password.hash(password, cost));
  }

  verify(password: string, hash: string): Promise<boolean> {
    return this.#inTurn(() => Bun.password.verify(password, hash, 'argon2id'));
  }

  /** Takes as long as a real check, so that an account that doesn't exist can't be told by the clock. */
  async verifyNothing(password: string): Promise<false> {
    this.#decoy ??= Bun.password.hash('nobody has this password', cost);
    await this.verify(password, await this.#decoy);
    return false;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= mostAtOnce) {
      if (this.#waiting.length >= mostWaiting) {
        throw new Refusal(
          'BUSY',
          'Too many passwords are being checked right now. Try again in a few seconds.',
          { retryAfter: 3 },
        );
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
