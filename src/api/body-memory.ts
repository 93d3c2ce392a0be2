import { Refusal } from '../rules/errors.ts';

/** Up to this size a body is small: the limit of all calls except bulk ones. */
export const smallBodyBytes = 64 * 1024;

/** Bytes of bodies that may be in memory at once. Parsing a body takes several times as much. */
const maxBytes = {
  small: 16 * 1024 * 1024,
  large: 32 * 1024 * 1024,
  largePerOrganization: 16 * 1024 * 1024,
} as const;

/** After this many milliseconds a large body that is still arriving gives way to others. */
const usualPatience = 10_000;

/** A call's share of the memory for bodies, held until it is answered. */
export interface BodyLease {
  /** Takes this many more bytes, or refuses. */
  take(bytes: number, size: 'small' | 'large'): void;
  /** Waits for a body that may be large. Refuses if it has to give way. */
  untilWhole<Body>(body: Promise<Body>): Promise<Body>;
  release(): void;
}

/** A body that has not arrived completely. */
interface Arriving {
  readonly organizationId: number;
  readonly since: number;
  giveWay(): void;
}

/**
 * Limits the memory for the bodies of all calls under way. Small bodies have a share of their own, and one organization never
 * gets all of the rest, so that large bodies block neither sign-ins nor others' bodies. Nor do large ones that hardly arrive.
 */
export class BodyMemory {
  readonly #patience: number;
  #small = 0;
  #large = 0;
  readonly #largeByOrganization = new Map<number, number>();
  /** Those with a share of the memory for large bodies, the earliest to take one first. */
  readonly #arriving = new Set<Arriving>();

  constructor(patience = usualPatience) {
    this.#patience = patience;
  }

  lease(organizationId: number): BodyLease {
    let small = 0;
    let large = 0;
    let hasGivenWay = false;
    let arriving: Arriving | null = null;
    const release = () => {
      this.#small -= small;
      this.#addLarge(organizationId, -large);
      small = 0;
      large = 0;
    };
    return {
      take: (bytes, size) => {
        if (hasGivenWay) throw tooSlow();
        if (size === 'small') {
          if (this.#small + bytes > maxBytes.small) throw busy();
          this.#small += bytes;
          small += bytes;
          return;
        }
        if (!this.#makeRoom(organizationId, bytes)) throw busy();
        this.#addLarge(organizationId, bytes);
        large += bytes;
        if (arriving) this.#arriving.add(arriving);
      },
      untilWhole: async (body) => {
        const { promise: refused, reject } = Promise.withResolvers<never>();
        const giveWay = () => {
          hasGivenWay = true;
          release();
          reject(tooSlow());
        };
        arriving = { organizationId, since: performance.now(), giveWay };
        if (large > 0) this.#arriving.add(arriving);
        try {
          return await Promise.race([body, refused]);
        } finally {
          this.#arriving.delete(arriving);
          arriving = null;
        }
      },
      release,
    };
  }

  #largeOf(organizationId: number): number {
    return this.#largeByOrganization.get(organizationId) ?? 0;
  }

  #addLarge(organizationId: number, bytes: number): void {
    this.#large += bytes;
    const all = this.#largeOf(organizationId) + bytes;
    if (all > 0) this.#largeByOrganization.set(organizationId, all);
    else this.#largeByOrganization.delete(organizationId);
  }

  #makeRoom(organizationId: number, bytes: number): boolean {
    const ownIsFull = () => this.#largeOf(organizationId) + bytes > maxBytes.largePerOrganization;
    const allIsFull = () => this.#large + bytes > maxBytes.large;
    const latest = performance.now() - this.#patience;
    for (const other of this.#arriving) {
      if (!ownIsFull() && !allIsFull()) break;
      if (other.since > latest || (ownIsFull() && other.organizationId !== organizationId)) continue;
      this.#arriving.delete(other);
      other.giveWay();
    }
    return !ownIsFull() && !allIsFull();
  }
}

const busy = (): Refusal =>
  new Refusal(
    'BUSY',
    'Too many large requests are under way. Try again in a few seconds, one after another.',
    {
      retryAfter: 2,
    },
  );

const tooSlow = (): Refusal =>
  new Refusal('BUSY', 'The body arrived so slowly that it had to give way to others. Send it again.', {
    retryAfter: 2,
  });
