import { BoundedCache } from '../../structures/bounded-cache.ts';
import { type CertificatePair, type SecureContext, secureContextOf } from './secure-context.ts';

/** What the store has for a name. */
export type Found =
  | { readonly kind: 'certificate'; readonly pair: CertificatePair; readonly until: number }
  /** It is being proved in a handshake, and has no certificate yet. */
  | { readonly kind: 'proof'; readonly pair: CertificatePair }
  | { readonly kind: 'none' }
  /** It was refused, and is only ordered again later. */
  | { readonly kind: 'refused' };

export interface FinderParts {
  /** Whether the service answers at all under this name. */
  readonly isServed: (host: string) => boolean | Promise<boolean>;
  readonly load: (host: string) => Promise<Found>;
  /** Called when somebody has come for a name that has no certificate. */
  readonly request: (host: string) => void;
  readonly now: () => number;
  /** For how many milliseconds a handshake waits for a certificate that is being ordered. */
  readonly patience?: number;
  readonly maxContexts?: number;
}

interface Kept {
  readonly context: SecureContext;
  /** When it is loaded again: a change that was missed is seen then. */
  readonly until: number;
}

interface Waiting {
  readonly address: string;
  readonly wake: () => void;
}

const defaultPatience = 15_000;
/** A context takes some 10 KB. */
const defaultContexts = 3_000;
/** Handshakes that may wait for certificates at once; of one name. */
const maxWaiting = 500;
const maxWaitingOfOne = 50;
/** For how many milliseconds a handshake waits for the certificate before it gets the proof, if its address waits already. */
const doubt = 3_000;
const refusalLifetime = 60_000;
const lifetime = 6 * 60 * 60 * 1000;
/** A name is asked for again at this interval while handshakes wait for it, and while its certificate is over. */
const lookInterval = 1_000;

/**
 * The certificate of each name, from the store at its first handshake and from memory after that. A name whose certificate is
 * being ordered lets its visitors wait.
 */
export class CertificateFinder {
  readonly #parts: FinderParts;
  readonly #kept: BoundedCache<Kept>;
  readonly #refusals = new BoundedCache<{ readonly isRefused: boolean; readonly until: number }>(
    defaultContexts,
  );
  /** By what was loaded, for handshakes that share a load: its text, some kilobytes, isn't kept for that. */
  readonly #made = new WeakMap<CertificatePair, SecureContext>();
  readonly #loads = new Map<string, Promise<Found>>();
  readonly #waiting = new Map<string, Set<Waiting>>();
  #waitingCount = 0;
  /** Counts what was forgotten: what was loaded before is not kept after it. */
  #changes = 0;

  constructor(parts: FinderParts) {
    this.#parts = parts;
    this.#kept = new BoundedCache<Kept>(parts.maxContexts ?? defaultContexts);
  }

  readonly find = (name: string, address: string): SecureContext | null | Promise<SecureContext | null> => {
    const host = name.toLowerCase();
    const kept = this.#kept.get(host);
    if (kept !== undefined && kept.until > this.#parts.now()) return kept.context;
    return this.#search(host, address, kept);
  };

  /** Whether this name has no certificate and gets none for now. A promise where it has to be looked up: then ask again. */
  isRefused(host: string): boolean | Promise<void> {
    if (this.#kept.get(host) !== undefined) return false;
    const known = this.#refusals.get(host);
    if (known !== undefined && known.until > this.#parts.now()) return known.isRefused;
    return this.#load(host).then(
      ({ kind }) => this.#noteRefusal(host, kind === 'refused'),
      () => this.#noteRefusal(host, false),
    );
  }

  #noteRefusal(host: string, isRefused: boolean): void {
    this.#refusals.set(host, { isRefused, until: this.#parts.now() + refusalLifetime });
  }

  /** It is loaded again at the next handshake. */
  forget(host: string): void {
    this.#changes += 1;
    this.#kept.delete(host);
    this.#refusals.delete(host);
    this.#loads.delete(host);
    for (const { wake } of this.#waiting.get(host) ?? []) wake();
  }

  clear(): void {
    this.#changes += 1;
    this.#kept.clear();
    this.#refusals.clear();
    this.#loads.clear();
  }

  async #search(host: string, address: string, over: Kept | undefined): Promise<SecureContext | null> {
    try {
      return await this.#loadedOrAwaited(host, address);
    } catch (cause) {
      // The store is away: what was served a moment ago still is.
      if (over !== undefined) return over.context;
      throw cause;
    }
  }

  async #loadedOrAwaited(host: string, address: string): Promise<SecureContext | null> {
    const begun = performance.now();
    const patience = this.#parts.patience ?? defaultPatience;
    // An authority comes once the proof is there. A visitor who came before is none, and others of that address hardly are.
    let proofFrom = this.#waitsFor(host, address) ? begun + doubt : begun;
    for (;;) {
      // Asked each time: the name may be given up while its visitors wait.
      if (!(await this.#parts.isServed(host))) return null;
      const changes = this.#changes;
      const found = await this.#load(host);
      const now = performance.now();
      if (found.kind === 'certificate')
        return changes === this.#changes ? this.#keep(host, found) : secureContextOf(found.pair);
      if (found.kind === 'refused') return null;
      if (found.kind === 'none') proofFrom = Number.POSITIVE_INFINITY;
      else if (now >= proofFrom) return secureContextOf(found.pair);
      this.#parts.request(host);
      const left = begun + patience - now;
      if (left <= 0 || !(await this.#wait(host, address, Math.min(left, lookInterval)))) return null;
    }
  }

  #waitsFor(host: string, address: string): boolean {
    const waiting = this.#waiting.get(host);
    return waiting !== undefined && [...waiting].some((other) => other.address === address);
  }

  #keep(host: string, { pair, until }: Found & { readonly kind: 'certificate' }): SecureContext {
    const now = this.#parts.now();
    const context = this.#made.get(pair) ?? secureContextOf(pair);
    this.#made.set(pair, context);
    this.#kept.set(host, {
      context,
      until: until > now ? Math.min(until, now + lifetime) : now + lookInterval,
    });
    return context;
  }

  /** Handshakes of one name that come together share a load. */
  #load(host: string): Promise<Found> {
    const running = this.#loads.get(host);
    if (running !== undefined) return running;
    const load = this.#parts.load(host).finally(() => {
      if (this.#loads.get(host) === load) this.#loads.delete(host);
    });
    this.#loads.set(host, load);
    return load;
  }

  /** Until the name has changed, or so long. False where too many wait already. */
  #wait(host: string, address: string, milliseconds: number): Promise<boolean> {
    const others = this.#waiting.get(host) ?? new Set<Waiting>();
    if (this.#waitingCount >= maxWaiting || others.size >= maxWaitingOfOne) return Promise.resolve(false);
    this.#waiting.set(host, others);
    this.#waitingCount += 1;
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waitingCount -= 1;
        others.delete(waiting);
        if (others.size === 0) this.#waiting.delete(host);
        resolve(true);
      };
      const timer = setTimeout(wake, milliseconds);
      const waiting = { address, wake };
      others.add(waiting);
    });
  }
}
