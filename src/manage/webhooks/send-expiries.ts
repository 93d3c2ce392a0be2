import { hasExpired, takeExpired } from '../../storage/webhooks/webhook-expiry.ts';
import { enqueueLinkEvent } from '../../webhooks/outbox.ts';
import type { Context } from '../context.ts';

const perTransaction = 200;

/** Sends link.expired to the webhooks that subscribe to it. Any node may run it at any time: each expiry is sent once. */
export async function sendExpiries({ database, site, now, webhooks }: Context): Promise<void> {
  while (await hasExpired(database.read, now())) {
    const taken = await database.write(async (queries) => {
      const expired = await takeExpired(queries, now(), perTransaction);
      for (const link of expired.links) {
        // The same however often this runs, because the event is the expiry itself. A link that was reopened may expire again at the
        // same instant, by a change.
        const messageId = `msg_expired_${link.id}_${link.expires_at}_${link.updated_at}`;
        await enqueueLinkEvent(queries, 'link.expired', link, { site, now: now(), messageId });
      }
      return expired.taken;
    });
    webhooks.wake();
    // Another node has claimed the rest.
    if (taken === 0) return;
  }
}
