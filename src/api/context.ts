import type { Context } from '../manage/context.ts';
import type { LiveClicks } from '../stats/live-clicks.ts';
import type { BodyMemory } from './body-memory.ts';
import type { HeavyReads } from './heavy-reads.ts';

/** What endpoints work with: the control plane's means, the hits as they come in, and what calls share. */
export interface ApiContext extends Context {
  readonly live: LiveClicks;
  readonly bodies: BodyMemory;
  readonly heavyReads: HeavyReads;
}
