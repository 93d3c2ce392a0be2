import type { Caller } from '../../rules/access.ts';
import { recordChanges } from '../../storage/changes.ts';
import { aliasesOn, copyAliases, deleteAliases } from '../../storage/links/link-aliases.ts';
import { tagsOf } from '../../storage/links/link-tags.ts';
import { lockLinks, type StoredLink, touchLinks } from '../../storage/links/links.ts';
import type { Context } from '../context.ts';
import { recordUpdates } from './record-history.ts';

/** Removes some of the aliases on a domain from their links, including links in the bin. */
export async function removeAliasesOn(
  context: Context,
  caller: Caller,
  domainId: number,
  limit: number,
): Promise<void> {
  const changed = await context.database.write(async (queries): Promise<readonly StoredLink[]> => {
    const aliases = await aliasesOn(queries, domainId, limit);
    if (aliases.length === 0) return [];
    const links = await lockLinks(queries, caller.organizationId, [
      ...new Set(aliases.map(({ link_id }) => link_id)),
    ]);
    const ids = links.map(({ id }) => id);
    await deleteAliases(queries, aliases);
    if (ids.length === 0) return [];
    const copies = await copyAliases(queries, ids);
    const tags = await tagsOf(queries, ids);
    const states = links.map((link) => ({
      before: { link, tags: tags.get(link.id) ?? [] },
      after: { link: { ...link, aliases: copies.get(link.id) ?? null }, tags: tags.get(link.id) ?? [] },
    }));
    await recordUpdates(context, queries, caller, states);
    await touchLinks(queries, ids, context.now());
    await recordChanges(queries, links, context.now());
    return links;
  });
  context.linksChanged(changed);
}
