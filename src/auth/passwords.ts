import { FairSemaphore, type Priority } from './fair-semaphore.ts';

/** 19 MiB and two passes: OWASP's minimum for argon2id. Bun's default would take 64 MiB a guess. */
export const defaultHashCost: HashCost = { memoryCost: 19_456, timeCost: 2 };

/** Memory in KiB, and the number of passes over it. */
export interface HashCost {
  readonly memoryCost: number;
  readonly timeCost: number;
}

/** For an organization, a signed-in user, or the operator at the shell. */
export const knownPriority = (clientKey: string): Priority => ({ clientKey, isKnown: true });

/** Hashing is slow by design: a few at a time, in fair order. */
export class Passwords {
  readonly #semaphore = new FairSemaphore(64);
  readonly #cost: HashCost;
  #decoy: Promise<string> | undefined;

  constructor(cost = defaultHashCost) {
    this.#cost = cost;
  }

  hash(password: string, priority: Priority): Promise<string> {
    return this.#semaphore.run(priority, () => this.#derive(password));
  }

  /** An accent may be typed as a character of its own; earlier hashes are of what was typed. */
  verify(password: string, hash: string, priority: Priority): Promise<boolean> {
    const composed = compose(password);
    const isRight = (text: string) => Bun.password.verify(text, hash, 'argon2id');
    return this.#semaphore.run(
      priority,
      async () => (await isRight(composed)) || (composed !== password && (await isRight(password))),
    );
  }

  /** Takes as long as a real check, so that the time doesn't reveal whether an account exists. */
  async verifyDecoy(password: string, priority: Priority): Promise<false> {
    this.#decoy ??= this.#derive('nobody has this password');
    await this.verify(password, await this.#decoy, priority);
    return false;
  }

  #derive(password: string): Promise<string> {
    return Bun.password.hash(compose(password), { algorithm: 'argon2id', ...this.#cost });
  }
}

/** A visitor may send a longer text: thousands of combining marks would take seconds. */
const maxComposed = 1_000;

const compose = (password: string): string =>
  password.length > maxComposed ? password : password.normalize('NFC');
