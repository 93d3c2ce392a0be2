import { setTimeout as sleep } from 'node:timers/promises';
import { StoreUnavailable } from '../../../rules/errors.ts';
import type { SaltStore } from '../visitor-hash.ts';
import type { SaltFolder } from './salt-folder.ts';
import { isMarkProof, markOf, markProof, newRequest, openSalt, type SaltRequest } from './salt-seal.ts';

/** The messages of nodes about a day's salt in the database: nothing in it reveals the salt later. */
export interface SaltExchange {
  /** Registers this salt's mark for the day unless the day has one. Returns the day's mark. */
  claim(day: number, mark: SaltMark): Promise<SaltMark>;
  /** Replaces the mark. Does nothing if it has been replaced already. */
  replaceClaim(day: number, former: string, mark: SaltMark): Promise<void>;
  ask(request: SaltRequest): Promise<void>;
  /** The answer to a request; null if there is none. */
  answer(publicKey: string): Promise<string | null>;
  withdraw(publicKey: string): Promise<void>;
  forgetBefore(day: number): Promise<void>;
}

interface SaltMark {
  readonly mark: string;
  readonly proof: string;
}

interface SharedSaltsParts {
  readonly folder: SaltFolder;
  readonly exchange: SaltExchange;
  /** The instance's key for this purpose. */
  readonly key: string;
  /** Called when no node answers and this one uses a salt of its own. */
  readonly onAlone: (day: number) => void;
  /** Milliseconds to wait for an answer. */
  readonly timeout?: number;
}

/** Nodes look for requests once a second. */
const saltTimeout = 15_000;
const pollInterval = 200;

/**
 * One salt a day for nodes that share a database and no folder. The first node to claim a day makes its salt; the others request
 * it with a public key whose private key is never stored, and are answered with the salt sealed for that key
 * (docs/decisions/2026-11-23-salts-outside-the-database.md).
 */
export class SharedSalts implements SaltStore {
  readonly #parts: SharedSaltsParts;

  constructor(parts: SharedSaltsParts) {
    this.#parts = parts;
  }

  async settle(day: number, fresh: Uint8Array, signal?: AbortSignal): Promise<Uint8Array> {
    const { folder, exchange, onAlone } = this.#parts;
    const existing = folder.find(day);
    if (existing !== null) return existing;
    // On disk before it is claimed: if this process is killed in between, the next one finds it again.
    const draft = folder.keepDraft(day, fresh);
    const own = this.#marked(day, draft);
    for (;;) {
      const claim = await exchange.claim(day, own);
      if (claim.mark === own.mark) return this.#adopt(day, draft);
      if (this.#isOurs(day, claim)) {
        const salt = await this.#ask(day, claim.mark, signal);
        if (salt !== null) return this.#adopt(day, salt);
        onAlone(day);
      }
      // Other nodes get this node's salt from now on; of several nodes without an answer, one replaces it.
      await exchange.replaceClaim(day, claim.mark, own);
    }
  }

  async forgetBefore(day: number): Promise<void> {
    this.#parts.folder.destroyBefore(day);
    await this.#parts.exchange.forgetBefore(day);
  }

  #adopt(day: number, salt: Uint8Array): Uint8Array {
    const { folder } = this.#parts;
    const kept = folder.keep(day, salt);
    folder.destroyDraft(day);
    return kept;
  }

  /** Null if no node answers. */
  async #ask(day: number, mark: string, signal: AbortSignal | undefined): Promise<Uint8Array | null> {
    const { exchange, folder, key, timeout = saltTimeout } = this.#parts;
    const request = newRequest(key, day);
    const deadline = performance.now() + timeout;
    await exchange.ask(request);
    try {
      while (performance.now() < deadline) {
        if (signal?.aborted) throw new StoreUnavailable('stopped while another node was asked for the salt');
        const sealed = await exchange.answer(request.publicKey);
        const salt = sealed === null ? null : openSalt(key, request, sealed);
        if (salt !== null && markOf(day, salt) === mark) return salt;
        // Another worker on this folder may have received the answer, or used its own salt.
        const existing = folder.find(day);
        if (existing !== null) return existing;
        await sleep(pollInterval, null, signal === undefined ? {} : { signal }).catch(() => {});
      }
      return null;
    } finally {
      await exchange.withdraw(request.publicKey).catch(() => {});
    }
  }

  #marked(day: number, salt: Uint8Array): SaltMark {
    const mark = markOf(day, salt);
    return { mark, proof: markProof(this.#parts.key, day, mark) };
  }

  #isOurs(day: number, { mark, proof }: SaltMark): boolean {
    return isMarkProof(this.#parts.key, day, mark, proof);
  }
}
