import type { Link } from './api-types.ts';
import { call } from './client.ts';
import { counted } from './format.ts';
import { notify, notifyError } from './notices.ts';
import { refresh } from './queries.ts';
import { shortOf } from './short-links.ts';

/** Archives links or removes them from the archive, and offers to undo it. True if it succeeded. */
export async function archiveLinks(links: readonly Link[], archived: boolean): Promise<boolean> {
  const [first] = links;
  if (!first) return false;
  const changed = links.filter((link) => link.archived !== archived);
  let found: number;
  try {
    const body = { ids: links.map(({ id }) => id), archived };
    found = (await call('PATCH /api/v1/link/bulk', { body })).updated;
  } catch (cause) {
    const what = links.length === 1 ? 'The link was' : 'The links were';
    notifyError(cause, `${what} not changed.`, () => void archiveLinks(links, archived));
    return false;
  }
  void refresh('links', 'link ');
  if (found === 0) {
    notify(links.length === 1 ? 'The link had already been deleted.' : 'The links had already been deleted.');
    return true;
  }
  const what = links.length === 1 ? shortOf(first) : counted(found, 'link');
  const undo = () => void archiveLinks(changed, !archived);
  notify(`${what} ${archived ? 'archived' : 'taken out of the archive'}.`, {
    undo: changed.length > 0 ? undo : undefined,
  });
  return true;
}
