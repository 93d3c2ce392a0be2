import type { Caller } from '../rules/access.ts';
import { notFound } from '../rules/errors.ts';
import { recordChange } from '../storage/changes.ts';
import { addToLinkCount } from '../storage/link-counts.ts';
import { deleteLink as remove } from '../storage/links.ts';
import type { Context } from './context.ts';

export async function deleteLink(context: Context, caller: Caller, id: number): Promise<void> {
  const gone = await context.database.write(async (queries) => {
    const link = await remove(queries, caller.organizationId, id);
    if (!link) throw notFound('link');
    await addToLinkCount(queries, caller.organizationId, id, -1);
    await recordChange(queries, link, context.now());
    return link;
  });
  context.linkChanged(gone.domain_id, gone.suffix);
}
