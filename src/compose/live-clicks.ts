import { LiveClicks } from '../stats/live.ts';
import type { Database } from '../storage/database.ts';
import type { Start } from './start.ts';
import type { Clicks } from './visitors.ts';

/** A click is seen within a second of its answer: the fold and this look share it. */
const interval = 300;
/** Proxies end what is silent for longer. */
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
