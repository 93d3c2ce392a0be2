import type { Context } from '../manage/context.ts';
import type { LiveClicks } from '../stats/live-clicks.ts';
import type { BodyMemory } from './body-memory.ts';
import type { HeavyReads } from './heavy-reads.ts';

/** What endpoints depend on: the control plane, new hits, and state that calls share. */
export interface ApiContext extends Context {
  readonly live: LiveClicks;
  readonly bodies: BodyMemory;
  readonly heavyReads: HeavyReads;
}
