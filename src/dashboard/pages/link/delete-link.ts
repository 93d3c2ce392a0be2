import type { Link } from '../../api-types.ts';
import { call } from '../../client.ts';
import { say } from '../../notices.ts';
import { refresh } from '../../queries.ts';
import { navigate } from '../../router.ts';
import { asTrouble } from '../../trouble.ts';
import { bare } from '../../words.ts';

/** Deletes at once, goes to the list, and offers the way back. */
export async function deleteLink(link: Link): Promise<void> {
  await call('POST /api/v1/link/bulk_delete', { body: { ids: [link.id] } });
  navigate('/app', { anyway: true });
  refresh('links', 'tags');
  say(`Deleted ${bare(link.url)}.`, { action: { label: 'Undo', act: () => void restore(link) } });
}

async function restore(link: Link): Promise<void> {
  try {
    await call('POST /api/v1/link/restore', { body: { ids: [link.id] } });
    refresh('links', 'tags');
    say(`${bare(link.url)} is back.`);
  } catch (cause) {
    say(asTrouble(cause).message, {
      isTrouble: true,
      action: { label: 'Try again', act: () => void restore(link) },
    });
  }
}
