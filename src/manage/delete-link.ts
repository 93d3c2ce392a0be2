import type { Caller } from '../rules/access.ts';
import { notFound } from '../rules/errors.ts';
import { recordChange } from '../storage/changes.ts';
import { addToLinkCount } from '../storage/link-counts.ts';
import { lockLink, deleteLink as remove } from '../storage/links.ts';
import { enqueueLinkEvent } from '../webhooks/outbox.ts';
import type { Context } from './context.ts';
import { messageId } from './webhook-message-id.ts';

export async function deleteLink(context: Context, caller: Caller, id: number): Promise<void> {
  const gone = await context.database.write(async (queries) => {
    const link = await lockLink(queries, caller.organizationId, id);
    if (!link) throw notFound('link');
    await remove(queries, caller.organizationId, id);
    await addToLinkCount(queries, caller.organizationId, id, -1);
    const now = context.now();
    await recordChange(queries, link, now);
    const occasion = { site: context.site, now, messageId: messageId(context) };
    await enqueueLinkEvent(queries, 'link.deleted', link, occasion);
    return link;
  });
  context.linkChanged(gone.domain_id, gone.suffix);
  if (gone.webhook_url !== null) context.webhooks.wake();
}
