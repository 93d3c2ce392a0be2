import type { Caller } from '../rules/access.ts';
import { Refusal } from '../rules/errors.ts';
import { touchApiKey } from '../storage/accounts/api-keys.ts';
import { findSessionOwner, renewSession } from '../storage/accounts/sessions.ts';
import { findTokenOwner } from '../storage/accounts/tokens.ts';
import type { Database } from '../storage/database.ts';
import type { Queries } from '../storage/schema.ts';
import type { ApiKeyCache } from './api-key-cache.ts';
import { looksLikeApiKey } from './api-keys.ts';
import { credentialTypo } from './credential-typos.ts';
import { sessionGranularity, sessionLifetime } from './opaque-tokens.ts';
import { digest } from './secrets.ts';

/** The last use of a key is stored to the minute: writing it on every call would make every read a write. */
const useGranularity = 60_000;

/** An earlier use in the future was written by a clock that was ahead. */
const isApart = (now: number, earlier: number, granularity: number): boolean =>
  Math.abs(now - earlier) >= granularity;

/** A key or a token, in the `api-key` header or as a bearer. */
export function credentialOf(headers: Headers): string | null {
  return headers.get('api-key')?.trim() || bearerOf(headers);
}

export function bearerOf(headers: Headers): string | null {
  const match = /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '');
  return match?.[1] ?? null;
}

interface SessionCaller {
  readonly caller: Caller;
  /** The session has been extended, and its cookie should be too. */
  readonly isRenewed: boolean;
}

export class Authenticator {
  readonly #database: Database;
  readonly #apiKeyCache: ApiKeyCache;
  readonly #now: () => number;
  readonly #onFault: (cause: unknown) => void;
  readonly #writing = new Map<number | string, Promise<void>>();

  constructor(
    database: Database,
    apiKeyCache: ApiKeyCache,
    now: () => number,
    onFault: (cause: unknown) => void,
  ) {
    this.#database = database;
    this.#apiKeyCache = apiKeyCache;
    this.#now = now;
    this.#onFault = onFault;
  }

  async caller(credential: string): Promise<Caller> {
    const typo = credentialTypo(credential);
    if (typo !== null) throw new Refusal('KEY_INVALID', typo);
    return looksLikeApiKey(credential) ? this.#keyOwner(credential) : this.#tokenOwner(credential);
  }

  async sessionCaller(token: string): Promise<SessionCaller> {
    const [hash, now] = [digest(token), this.#now()];
    const owner = await findSessionOwner(this.#database.lookup, hash, now);
    if (!owner)
      throw new Refusal('SESSION_ENDED', 'You are signed out: this session has ended. Sign in again.');
    const isRenewed = isApart(now, owner.renewedAt, sessionGranularity);
    if (isRenewed)
      this.#startWrite(hash, (queries) => renewSession(queries, hash, now, now + sessionLifetime));
    const { userId, organizationId, role } = owner;
    return { caller: { userId, organizationId, role, via: 'dashboard' }, isRenewed };
  }

  /** Waits for pending writes. */
  async finish(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  async #keyOwner(key: string): Promise<Caller> {
    const owner = await this.#apiKeyCache.find(digest(key));
    if (!owner)
      throw new Refusal(
        'KEY_INVALID',
        'This API key was deleted, or is of another instance. Make a new one in the dashboard under "Account".',
      );
    const now = this.#now();
    if (owner.lastUsedAt === null || isApart(now, owner.lastUsedAt, useGranularity)) {
      const isStarted = this.#startWrite(owner.keyId, (queries) => touchApiKey(queries, owner.keyId, now));
      if (isStarted) owner.lastUsedAt = now;
    }
    const { userId, organizationId, role, keyId } = owner;
    return { userId, organizationId, role, via: 'api_key', keyId };
  }

  async #tokenOwner(token: string): Promise<Caller> {
    const owner = await findTokenOwner(this.#database.lookup, digest(token), this.#now());
    if (!owner)
      throw new Refusal(
        'TOKEN_INVALID',
        'This access token is unknown or expired. GET /api/v1/auth/refresh_access_token with its refresh token gives a new one, or sign in again.',
      );
    return { ...owner, via: 'token' };
  }

  /** False while an earlier write of the same kind is pending. */
  #startWrite(key: number | string, write: (queries: Queries) => Promise<void>): boolean {
    if (this.#writing.has(key)) return false;
    const written = this.#database
      .write(write)
      .catch(this.#onFault)
      .finally(() => this.#writing.delete(key));
    this.#writing.set(key, written);
    return true;
  }
}
