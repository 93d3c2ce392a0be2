import { recordChange } from '../../storage/changes.ts';
import { takeClicks } from '../../storage/links/click-limits.ts';
import { findAnyLink, type StoredLink } from '../../storage/links/links.ts';
import type { Queries } from '../../storage/schema.ts';
import { enqueueLinkEvent, messageContext } from '../../webhooks/outbox.ts';
import type { Context } from '../context.ts';

interface ClickRequest {
  readonly linkId: number;
  readonly clicks: number;
}

interface Taken {
  readonly clicks: number;
  /** The link, if these were its last clicks. */
  readonly ended: StoredLink | undefined;
}

/**
 * Takes up to `clicks` of the clicks that a link with a limit has left, and returns how many it took. The last click informs every
 * node and the link's webhook that the link has ended.
 */
export function clickTaker(context: Context): (linkId: number, clicks: number) => Promise<number> {
  const takeTogether = async (queries: Queries, requests: readonly ClickRequest[]) => {
    const taken = new Map<ClickRequest, Taken>();
    // In the same order everywhere: two transactions don't deadlock on each other's links.
    for (const request of requests.toSorted((one, other) => one.linkId - other.linkId))
      taken.set(request, await takeFor(context, queries, request));
    return requests.map((request) => taken.get(request) ?? { clicks: 0, ended: undefined });
  };
  return async (linkId, clicks) => {
    const taken = await context.database.writeBatched({ linkId, clicks }, takeTogether);
    if (taken.ended) {
      context.linksChanged([taken.ended]);
      if (taken.ended.webhook_url !== null) context.webhooks.wake();
    }
    return taken.clicks;
  };
}

async function takeFor(context: Context, queries: Queries, { linkId, clicks }: ClickRequest): Promise<Taken> {
  const { taken, isLimitReached } = await takeClicks(queries, linkId, clicks);
  const ended = isLimitReached ? await findAnyLink(queries, linkId) : undefined;
  if (ended) {
    const now = context.now();
    await recordChange(queries, ended, now);
    await enqueueLinkEvent(queries, 'link.expired', ended, messageContext(context, now));
  }
  return { clicks: taken, ended };
}
