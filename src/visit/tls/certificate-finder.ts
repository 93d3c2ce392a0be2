import { hourLength } from '../../rules/durations.ts';
import { BoundedCache } from '../../structures/bounded-cache.ts';
import { SharedLoads } from '../../structures/shared-loads.ts';
import { RefusedNames } from './refused-names.ts';
import { type CertificatePair, type SecureContext, secureContextOf } from './secure-context.ts';

/** What the store has for a host name. */
export type Found =
  | { readonly kind: 'certificate'; readonly pair: CertificatePair; readonly until: number }
  /** Its challenge is being validated in a handshake, and it has no certificate yet. */
  | { readonly kind: 'proof'; readonly pair: CertificatePair; readonly hasFailed: boolean }
  /** `hasFailed`: its last order was refused, and it is being ordered again. */
  | { readonly kind: 'none'; readonly hasFailed: boolean }
  /** Its order was refused, and is only retried later. */
  | { readonly kind: 'refused' };

/**
 * Whether visitors should not be sent to https for now. While a refused certificate is ordered again, a handshake waits for it; but a
 * redirect would be kept by browsers for longer than the order takes to fail once more.
 */
export const isRefusedName = (found: Found): boolean =>
  found.kind === 'refused' || (found.kind !== 'certificate' && found.hasFailed);

interface FinderParts {
  /** Whether this instance serves the host name at all. */
  readonly isServed: (host: string) => boolean | Promise<boolean>;
  readonly load: (host: string) => Promise<Found>;
  /** Called for a visit to a host name that has no certificate. */
  readonly request: (host: string) => void;
  readonly now: () => number;
  /** Milliseconds that a handshake waits for a certificate that is being ordered. */
  readonly timeout?: number;
  readonly maxContexts?: number;
}

interface CachedContext {
  readonly context: SecureContext;
  /** When it is reloaded, in case a change was missed. */
  readonly until: number;
}

interface Waiting {
  readonly address: string;
  readonly wake: () => void;
}

const defaultTimeout = 15_000;
/** A context takes about 10 KB. */
const defaultContexts = 3_000;
/** Handshakes that may wait for certificates at once: in total, and per host name. */
const maxWaiting = 500;
const maxWaitingPerHost = 50;
/**
 * Milliseconds that a handshake waits for the certificate before it gets the challenge's proof, if another one from its address
 * is waiting already.
 */
const proofDelay = 3_000;
const lifetime = 6 * hourLength;
/** How often a host name is looked up again while handshakes wait for it, and after its certificate has expired. */
const pollInterval = 1_000;

/**
 * The certificate of each host name: read from the store at the first handshake, and from memory after that. While a certificate
 * is being ordered, handshakes for its name wait.
 */
export class CertificateFinder {
  readonly #parts: FinderParts;
  readonly #contexts: BoundedCache<CachedContext>;
  readonly #refusals: RefusedNames;
  /** By the loaded pair, for handshakes that share a load: the pair's text of some kilobytes isn't kept. */
  readonly #created = new WeakMap<CertificatePair, SecureContext>();
  readonly #loads = new SharedLoads<Found>();
  readonly #waiting = new Map<string, Set<Waiting>>();
  #waitingCount = 0;
  /** Counts calls of `forget`: a load that began before one isn't cached. */
  #changes = 0;

  constructor(parts: FinderParts) {
    this.#parts = parts;
    this.#contexts = new BoundedCache<CachedContext>(parts.maxContexts ?? defaultContexts);
    this.#refusals = new RefusedNames(
      async (host) => isRefusedName(await this.#load(host)),
      () => parts.now(),
    );
  }

  readonly find = (name: string, address: string): SecureContext | null | Promise<SecureContext | null> => {
    const host = name.toLowerCase();
    const cached = this.#contexts.get(host);
    if (cached !== undefined && cached.until > this.#parts.now()) return cached.context;
    return this.#search(host, address, cached);
  };

  /**
   * Whether this name has no certificate and won't get one for now. Returns a promise while that is looked up.
   */
  isRefused(host: string): boolean | Promise<boolean> {
    return this.#contexts.get(host) === undefined && this.#refusals.isRefused(host);
  }

  /** Reloads the name at its next handshake. */
  forget(host: string): void {
    this.#changes += 1;
    this.#contexts.delete(host);
    this.#refusals.forget(host);
    this.#loads.outdate(host);
    for (const { wake } of this.#waiting.get(host) ?? []) wake();
  }

  clear(): void {
    this.#changes += 1;
    this.#contexts.clear();
    this.#refusals.clear();
    this.#loads.outdateAll();
  }

  async #search(
    host: string,
    address: string,
    expired: CachedContext | undefined,
  ): Promise<SecureContext | null> {
    try {
      return await this.#loadOrAwait(host, address);
    } catch (cause) {
      // The store is down: an expired entry is still served.
      if (expired !== undefined) return expired.context;
      throw cause;
    }
  }

  async #loadOrAwait(host: string, address: string): Promise<SecureContext | null> {
    const start = performance.now();
    const timeout = this.#parts.timeout ?? defaultTimeout;
    // The certificate authority connects after the proof is stored. A visitor who came earlier isn't the authority, and other
    // clients with that address are hardly the authority either.
    let proofFrom = this.#waitsFor(host, address) ? start + proofDelay : start;
    for (;;) {
      // Checked each time: the name may be removed while its visitors wait.
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
      const left = start + timeout - now;
      if (left <= 0 || !(await this.#wait(host, address, Math.min(left, pollInterval)))) return null;
    }
  }

  #waitsFor(host: string, address: string): boolean {
    const waiting = this.#waiting.get(host);
    return waiting !== undefined && [...waiting].some((other) => other.address === address);
  }

  #keep(host: string, { pair, until }: Found & { readonly kind: 'certificate' }): SecureContext {
    const now = this.#parts.now();
    const context = this.#created.get(pair) ?? secureContextOf(pair);
    this.#created.set(pair, context);
    this.#contexts.set(host, {
      context,
      until: until > now ? Math.min(until, now + lifetime) : now + pollInterval,
    });
    return context;
  }

  /** Concurrent handshakes of one name share a load. */
  #load(host: string): Promise<Found> {
    return this.#loads.get(host) ?? this.#loads.add(host, this.#parts.load(host));
  }

  /** Waits until the name has changed, or for `milliseconds`. Returns false if too many wait already. */
  #wait(host: string, address: string, milliseconds: number): Promise<boolean> {
    const others = this.#waiting.get(host) ?? new Set<Waiting>();
    if (this.#waitingCount >= maxWaiting || others.size >= maxWaitingPerHost) return Promise.resolve(false);
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
