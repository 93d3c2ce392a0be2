import { Refusal } from '../rules/errors.ts';

/** Up to this size a body is small: the limit of all calls except bulk ones. */
export const smallBodyBytes = 64 * 1024;

/** Bytes of bodies that may be in memory at once. Parsing a body takes several times as much. */
const maxBytes = {
  small: 16 * 1024 * 1024,
  large: 32 * 1024 * 1024,
  largePerOrganization: 16 * 1024 * 1024,
} as const;

/** A call's share of the memory for bodies, held until it is answered. */
export interface BodyLease {
  /** Takes this many more bytes, or refuses. */
  take(bytes: number, size: 'small' | 'large'): void;
  release(): void;
}

/**
 * Limits the memory for the bodies of all calls under way. Small bodies have a share of their own, and one organization never
 * gets all of the rest, so that large bodies block neither sign-ins nor others' bodies.
 */
export class BodyMemory {
  #small = 0;
  #large = 0;
  readonly #largeByOrganization = new Map<number, number>();

  lease(organizationId: number): BodyLease {
    let small = 0;
    let large = 0;
    return {
      take: (bytes, size) => {
        if (size === 'small') {
          if (this.#small + bytes > maxBytes.small) throw busy();
          this.#small += bytes;
          small += bytes;
          return;
        }
        const ofOrganization = (this.#largeByOrganization.get(organizationId) ?? 0) + bytes;
        if (this.#large + bytes > maxBytes.large || ofOrganization > maxBytes.largePerOrganization)
          throw busy();
        this.#large += bytes;
        this.#largeByOrganization.set(organizationId, ofOrganization);
        large += bytes;
      },
      release: () => {
        this.#small -= small;
        this.#large -= large;
        const left = (this.#largeByOrganization.get(organizationId) ?? 0) - large;
        if (left > 0) this.#largeByOrganization.set(organizationId, left);
        else this.#largeByOrganization.delete(organizationId);
        small = 0;
        large = 0;
      },
    };
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
