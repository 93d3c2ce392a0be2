import type { z } from 'zod';
import type { Context } from '../manage/context.ts';
import {
  type DeletedLink as Deleted,
  type DeletedPosition,
  deleteForGood,
  emptyLinkBin,
  readDeletedLinks,
} from '../manage/links/deleted-links.ts';
import { asUri } from '../rules/destinations/destination-text.ts';
import { formatIso } from '../rules/instant.ts';
import { freeAt } from '../rules/link-bin.ts';
import { Cursors } from './cursor.ts';
import { endpoint } from './endpoint.ts';
import {
  type DeletedLink,
  DeletedLinkList,
  DeletedLinkQuery,
  LinkBinEmptied,
} from './schemas/deleted-link.ts';
import { linkPath } from './schemas/parts.ts';

const deletedAnswer = (link: Deleted, { site }: Context): z.input<typeof DeletedLink> => ({
  id: link.id,
  deleted_at: formatIso(link.deleted_at),
  kept_until: formatIso(freeAt(link.deleted_at)),
  domain: site.domainUrl(link.host),
  suffix: link.suffix,
  url: site.linkUrl(link.host, link.suffix),
  destination_url: asUri(link.destination_url),
  name: link.name,
  ...(link.suffix_taken_by !== null && { suffix_taken_by: link.suffix_taken_by }),
});

const plainPosition = /^(\d{1,15})-([1-9]\d{0,14})$/;

/** `before` existed before cursors did: it also takes an unsigned position. */
function positionBefore(before: string | undefined, cursors: Cursors<DeletedPosition>) {
  const [, deletedAt, id] = plainPosition.exec(before ?? '') ?? [];
  if (deletedAt === undefined) return cursors.read(before, 'before');
  return { deletedAt: Number(deletedAt), id: Number(id) };
}

export const list = endpoint({
  summary: 'List deleted links',
  description:
    'Links of the last 30 days that can be restored, last deleted first. `next` leads to the next page, which is unaffected by deletions and restorations meanwhile.',
  heavy: true,
  query: DeletedLinkQuery,
  statuses: { 200: 'A page of deleted links.' },
  answer: DeletedLinkList,
  async handle({ caller, query }, context) {
    const cursors = new Cursors<DeletedPosition>(context.secrets, ['deleted links', caller.organizationId]);
    const after = cursors.read(query.cursor) ?? positionBefore(query.before, cursors);
    const page = { limit: query.limit, after };
    const { links, total, next } = await readDeletedLinks(context, caller, page);
    return {
      links: links.map((link) => deletedAnswer(link, context)),
      total_links: total,
      next: next && cursors.write(next),
    };
  },
});

const permanentDeletion =
  'This cannot be undone. Statistics keep its clicks, and no other organization gets its address before the 30 days are over.';

export const empty = endpoint({
  summary: 'Delete all deleted links for good',
  long: true,
  description: `Empties the bin. ${permanentDeletion}`,
  statuses: { 200: 'How many there were.' },
  answer: LinkBinEmptied,
  handle: async ({ caller }, context) => ({ deleted: await emptyLinkBin(context, caller) }),
});

export const removeForGood = endpoint({
  summary: 'Delete a deleted link for good',
  description: permanentDeletion,
  params: linkPath,
  statuses: { 204: 'Gone for good.' },
  handle: ({ caller, params }, context) => deleteForGood(context, caller, params.id),
});
