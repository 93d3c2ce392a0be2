import { FairTurns, type Turn } from './fair-turns.ts';

/** 19 MiB and two passes: what OWASP gives as the least for argon2id. Bun's default would take 64 MiB a guess. */
const cost = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const;

/** Whoever is in, or at the shell. */
const inside: Turn = { party: 'inside', isKnown: true };

/** Hashing is made to be slow: a few at a time, in fair turns. */
export class Passwords {
  readonly #turns = new FairTurns(64);
  #decoy: Promise<string> | undefined;

  hash(password: string, turn = inside): Promise<string> {
    return this.#turns.run(turn, () => Bun.password.hash(password, cost));
  }

  verify(password: string, hash: string, turn = inside): Promise<boolean> {
    return this.#turns.run(turn, () => Bun.password.verify(password, hash, 'argon2id'));
  }

  /** Takes as long as a real check, so that an account that doesn't exist can't be told by the clock. */
  async verifyNothing(password: string, turn = inside): Promise<false> {
    this.#decoy ??= Bun.password.hash('nobody has this password', cost);
    await this.verify(password, await this.#decoy, turn);
    return false;
  }
}
