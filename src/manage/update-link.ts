import type { Caller } from '../rules/access.ts';
import { notFound } from '../rules/errors.ts';
import { recordChange } from '../storage/changes.ts';
import { tagsOf } from '../storage/link-tags.ts';
import { findLink, lockLink, searchText, updateLink as store } from '../storage/links.ts';
import { enqueueLinkEvent } from '../webhooks/outbox.ts';
import type { Context } from './context.ts';
import { columnsOf, type LinkFields } from './link-fields.ts';
import { changeTags } from './link-tags.ts';
import { requireVersion } from './link-version.ts';
import { refuseEqualColours } from './prepare-link.ts';
import type { LinkWithTags } from './prepared-link.ts';
import { occasionOf } from './webhook-occasion.ts';

interface LinkUpdate extends LinkFields {
  readonly add_tags?: readonly number[] | undefined;
  readonly remove_tags?: readonly number[] | undefined;
}

export async function updateLink(
  context: Context,
  caller: Caller,
  id: number,
  update: LinkUpdate,
  expectedVersion: string | null = null,
): Promise<LinkWithTags> {
  // Ownership is checked first: nothing is hashed or looked up for a link of another organization.
  if (!(await findLink(context.database.lookup, caller.organizationId, id))) throw notFound('link');
  const columns = await columnsOf(context, update);
  const updated = await context.database.write(async (queries) => {
    const before = await lockLink(queries, caller.organizationId, id);
    if (!before) throw notFound('link');
    requireVersion(expectedVersion, before);
    // An instant that is sent again is not an expiry anew.
    const { expires_at = before.expires_at } = columns;
    const expiry = expires_at === before.expires_at ? {} : { expiry_event_at: expires_at };
    const after = { ...before, ...columns, ...expiry };
    refuseEqualColours(after, update);
    const now = context.now();
    // No two states of a link share `updated_at`, so it identifies a version.
    const updated_at = Math.max(now, before.updated_at + 1);
    await store(queries, caller.organizationId, id, {
      ...columns,
      ...expiry,
      search_text: searchText(after),
      updated_at,
    });
    await changeTags(queries, caller.organizationId, [id], update);
    await recordChange(queries, before, now);
    await enqueueLinkEvent(queries, 'link.updated', after, occasionOf(context, now));
    return { link: { ...after, updated_at }, tags: (await tagsOf(queries, [id])).get(id) ?? [] };
  });
  context.linksChanged([updated.link]);
  if (updated.link.webhook_url !== null) context.webhooks.wake();
  return updated;
}
