import { recordChange } from '../storage/changes.ts';
import { takeClicks } from '../storage/click-limits.ts';
import { findAnyLink, type StoredLink } from '../storage/links.ts';
import type { Queries } from '../storage/schema.ts';
import { enqueueLinkEvent } from '../webhooks/outbox.ts';
import type { Context } from './context.ts';
import { occasionOf } from './webhook-occasion.ts';

interface Wanted {
  readonly linkId: number;
  readonly clicks: number;
}

interface Taken {
  readonly clicks: number;
  /** The link, if these were its last clicks. */
  readonly ended: StoredLink | undefined;
}

/**
 * Takes so many of the clicks that a link with a limit has left, and returns how many. The last one informs every node that the
 * link has ended, and its webhook.
 */
export function clickTaker(context: Context): (linkId: number, clicks: number) => Promise<number> {
  const takeTogether = async (queries: Queries, wanted: readonly Wanted[]) => {
    const taken = new Map<Wanted, Taken>();
    // In the same order everywhere: two transactions don't deadlock on each other's links.
    for (const each of wanted.toSorted((one, other) => one.linkId - other.linkId))
      taken.set(each, await takeFor(context, queries, each));
    return wanted.map((each) => taken.get(each) ?? { clicks: 0, ended: undefined });
  };
  return async (linkId, clicks) => {
    const taken = await context.database.writeTogether({ linkId, clicks }, takeTogether);
    if (taken.ended) {
      context.linksChanged([taken.ended]);
      if (taken.ended.webhook_url !== null) context.webhooks.wake();
    }
    return taken.clicks;
  };
}

async function takeFor(context: Context, queries: Queries, { linkId, clicks }: Wanted): Promise<Taken> {
  const { taken, isEnd } = await takeClicks(queries, linkId, clicks);
  const ended = isEnd ? await findAnyLink(queries, linkId) : undefined;
  if (ended) await announceEnd(context, queries, ended);
  return { clicks: taken, ended };
}

async function announceEnd(context: Context, queries: Queries, link: StoredLink): Promise<void> {
  const now = context.now();
  await recordChange(queries, link, now);
  await enqueueLinkEvent(queries, 'link.expired', link, occasionOf(context, now));
}
