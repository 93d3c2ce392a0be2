import type { Caller } from '../rules/access.ts';
import { notFound } from '../rules/errors.ts';
import { recordChange } from '../storage/changes.ts';
import { attachTags, countTags, detachTags, tagsOf } from '../storage/link-tags.ts';
import { findLink, lockLink, searchText, updateLink as store } from '../storage/links.ts';
import type { Context } from './context.ts';
import { type LinkWithTags, refuseEqualColours } from './create-link.ts';
import { columnsOf, type LinkFields } from './link-fields.ts';
import { mostTagsOnLink, requireTags, tooManyTags } from './link-tags.ts';

export interface LinkUpdate extends LinkFields {
  readonly add_tags?: readonly number[] | undefined;
  readonly remove_tags?: readonly number[] | undefined;
}

export async function updateLink(
  context: Context,
  caller: Caller,
  id: number,
  update: LinkUpdate,
): Promise<LinkWithTags> {
  // Whether the link is the caller's comes first: nothing is hashed or looked up for somebody else's.
  if (!(await findLink(context.database.read, caller.organizationId, id))) throw notFound('link');
  const columns = await columnsOf(context, update);
  const updated = await context.database.write(async (queries) => {
    const before = await lockLink(queries, caller.organizationId, id);
    if (!before) throw notFound('link');
    const after = { ...before, ...columns };
    refuseEqualColours(after, update);
    const now = context.now();
    await store(queries, caller.organizationId, id, {
      ...columns,
      search_text: searchText(after),
      updated_at: now,
    });
    const added = await requireTags(queries, caller.organizationId, update.add_tags ?? [], 'add_tags');
    const removed = await requireTags(
      queries,
      caller.organizationId,
      update.remove_tags ?? [],
      'remove_tags',
    );
    await attachTags(
      queries,
      id,
      added.map((tag) => tag.id),
    );
    await detachTags(
      queries,
      id,
      removed.map((tag) => tag.id),
    );
    if (added.length > 0 && (await countTags(queries, id)) > mostTagsOnLink) throw tooManyTags('add_tags');
    await recordChange(queries, before, now);
    return { link: { ...after, updated_at: now }, tags: (await tagsOf(queries, [id])).get(id) ?? [] };
  });
  context.linkChanged(updated.link.domain_id, updated.link.suffix);
  return updated;
}
