import { dayOf } from './utc-time.ts';

/** The seed for assigning visitors to the variants of a rule: the same in every thread and on every node of an instance. */
export const hashSeedOf = (key: string): number => Bun.hash.xxHash32(`variants\n${key}`);

interface DaysVisitor {
  readonly organizationId: number;
  readonly at: number;
  readonly address: string;
  readonly userAgent: string;
}

/** 32 bits for a visitor of an organization on a day. */
export const dayHash = (seed: number, { organizationId, at, address, userAgent }: DaysVisitor): number =>
  Bun.hash.xxHash32(`${dayOf(at)}\n${organizationId}\n${address}\n${userAgent}`, seed);
