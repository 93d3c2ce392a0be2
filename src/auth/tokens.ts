import { dayLength } from '../rules/durations.ts';
import { Refusal } from '../rules/errors.ts';
import { digitsAndLetters, drawText, type RandomBytes } from '../rules/random-text.ts';
import {
  endFamilies,
  findRefreshToken,
  insertFamily,
  insertTokens,
  replaceRefreshToken,
  type TokenHashes,
} from '../storage/accounts/tokens.ts';
import type { Database } from '../storage/database.ts';
import type { Queries } from '../storage/schema.ts';
import { digest, type Secrets } from './secrets.ts';

const accessLifetime = 3 * dayLength;
const refreshLifetime = 30 * dayLength;
/** How long a refresh may be repeated by a client that lost the response or sent the call twice at once. */
const retryWindow = 10_000;

export interface TokenPair {
  readonly access_token: string;
  readonly refresh_token: string;
}

/**
 * Token pairs in families: one sign-in and all its refreshes. A pair is derived from the refresh token that it replaces, so that
 * concurrent refreshes get the same pair, and a family never has two valid pairs at its end.
 */
export class Tokens {
  readonly #database: Database;
  readonly #secrets: Secrets;
  readonly #randomBytes: RandomBytes;
  readonly #now: () => number;

  constructor(database: Database, secrets: Secrets, randomBytes: RandomBytes, now: () => number) {
    this.#database = database;
    this.#secrets = secrets;
    this.#randomBytes = randomBytes;
    this.#now = now;
  }

  /** In the transaction of the sign-in. */
  async start(queries: Queries, userId: number): Promise<TokenPair> {
    const pair = this.#pairOf(`lnr_${drawText(digitsAndLetters, 43, this.#randomBytes)}`);
    const now = this.#now();
    const familyId = await insertFamily(queries, userId, now);
    await insertTokens(queries, familyId, hashes(pair), expiry(now));
    return pair;
  }

  async refresh(token: string): Promise<TokenPair> {
    const successor = this.#pairOf(`lnr_${this.#secrets.sign('refresh-successor', token)}`);
    // The result is returned instead of thrown, so that ending a family is committed.
    const valid = await this.#database.write((queries) => this.#replace(queries, digest(token), successor));
    if (!valid) {
      throw new Refusal(
        'TOKEN_INVALID',
        'This refresh token is unknown, expired or was used before. Sign in again with email and password.',
      );
    }
    return successor;
  }

  async #replace(queries: Queries, hash: string, successor: TokenPair): Promise<boolean> {
    const now = this.#now();
    const familyId = await replaceRefreshToken(queries, hash, now);
    if (familyId !== null) {
      await insertTokens(queries, familyId, hashes(successor), expiry(now));
      return true;
    }
    const used = await findRefreshToken(queries, hash);
    if (!used || used.endedAt !== null || used.replacedAt === null) return false;
    if (now - used.replacedAt <= retryWindow && (await this.#isNewest(queries, successor))) return true;
    await endFamilies(queries, 'id', used.familyId, now);
    return false;
  }

  async #isNewest(queries: Queries, pair: TokenPair): Promise<boolean> {
    const token = await findRefreshToken(queries, digest(pair.refresh_token));
    return token !== undefined && token.replacedAt === null;
  }

  #pairOf(refreshToken: string): TokenPair {
    return {
      access_token: `lna_${this.#secrets.sign('access-of-refresh', refreshToken)}`,
      refresh_token: refreshToken,
    };
  }
}

const hashes = (pair: TokenPair): TokenHashes => ({
  access: digest(pair.access_token),
  refresh: digest(pair.refresh_token),
});

const expiry = (now: number) => ({ access: now + accessLifetime, refresh: now + refreshLifetime });
