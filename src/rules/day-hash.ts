import { dayOf } from './utc-time.ts';

/** What visitors are dealt out to the variants of a rule by: the same in every thread and on every node of an instance. */
export const hashSeedOf = (key: string): number => Bun.hash.xxHash32(`variants\n${key}`);

interface DaysVisitor {
  readonly organizationId: number;
  readonly at: number;
  readonly address: string;
  readonly userAgent: string;
}

/** 32 bits of a visitor of an organization on a day. */
export const dayHash = (seed: number, { organizationId, at, address, userAgent }: DaysVisitor): number =>
  Bun.hash.xxHash32(`${dayOf(at)}\n${organizationId}\n${address}\n${userAgent}`, seed);
