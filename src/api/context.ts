import type { LiveClicks } from '../clicks/live.ts';
import type { Context } from '../manage/context.ts';

/** What endpoints work with: the control plane's means, and the hits as they come in. */
export interface ApiContext extends Context {
  readonly live: LiveClicks;
}
