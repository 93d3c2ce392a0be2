import { LiveClicks } from '../stats/live-clicks.ts';
import type { Database } from '../storage/database.ts';
import type { Clicks } from './data-plane.ts';
import type { Start } from './start.ts';

/** Milliseconds. A click is shown within a second of its answer: the fold and this poll share that time. */
const interval = 300;
/** Milliseconds. Proxies close connections that are idle for longer. */
const heartbeat = 15_000;

export function liveClicksOf({ overrides, log }: Start, database: Database, clicks: Clicks): LiveClicks {
  const live = new LiveClicks(database, {
    interval,
    heartbeat: overrides.heartbeat ?? heartbeat,
    onFault: (cause) => log.warn('live clicks away', { error: String(cause) }),
  });
  clicks.onFolded(() => live.folded());
  return live;
}
