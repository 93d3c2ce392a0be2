import type { DeletedLink } from '../../api-types.ts';
import { call } from '../../client.ts';

/** As many as one call tells of. */
const perPage = 100;

export interface Bin {
  readonly links: readonly DeletedLink[];
  readonly total: number;
  readonly hasOlder: boolean;
}

export const keyOf = (pages: number): string => `links deleted, ${pages} pages`;

/** So many pages of what was deleted, newest first. */
export async function readBin(pages: number): Promise<Bin> {
  const links: DeletedLink[] = [];
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const answer = await call('GET /api/v1/link/deleted', { query: { limit: perPage, cursor } });
    links.push(...answer.links);
    if (answer.next === null || page === pages)
      return { links, total: answer.total_links, hasOlder: answer.next !== null };
    cursor = answer.next;
  }
}

/** One deletion of a link: deleted once more, it is another one. */
export const deletionOf = ({ id, deleted_at }: DeletedLink): string => `${id} ${deleted_at}`;
