import { signal } from '@preact/signals';
import { asApiError } from './api-error.ts';
import type { Link } from './api-types.ts';
import { call } from './client.ts';
import { say } from './notices.ts';
import { askLinksAnew, restoreLinks } from './restore-links.ts';
import { shortOf } from './short.ts';
import { counted } from './words.ts';

/** Links that are deleted as far as the person is concerned: no list shows them, whatever it knows. */
export const removed = signal<ReadonlySet<number>>(new Set());

const hide = (ids: readonly number[]): void => {
  removed.value = new Set([...removed.value, ...ids]);
};
const show = (ids: readonly number[]): void => {
  removed.value = new Set([...removed.value].filter((id) => !ids.includes(id)));
};

/** At once to the eye; taken back if the server says no. True when they are gone. */
export async function removeLinks(links: readonly Link[]): Promise<boolean> {
  const ids = links.map(({ id }) => id);
  const [first] = links;
  if (!first) return false;
  hide(ids);
  let gone: readonly number[];
  try {
    gone = (await call('POST /api/v1/link/bulk_delete', { body: { ids } })).ids;
  } catch (cause) {
    show(ids);
    const what = links.length === 1 ? 'The link was' : 'The links were';
    say(`${what} not deleted. ${asApiError(cause).message}`, {
      isError: true,
      action: { label: 'Try again', act: () => void removeLinks(links) },
    });
    return false;
  }
  // Once no list has them any more nothing need hide them: they may be brought back elsewhere.
  void askLinksAnew().then((isKnown) => isKnown && show(ids));
  if (gone.length === 0) {
    say(links.length === 1 ? 'The link was deleted already.' : 'The links were deleted already.');
    return true;
  }
  const what = links.length === 1 ? shortOf(first) : counted(gone.length, 'link');
  // Links that another user deleted meanwhile are not restored.
  say(`${what} deleted.`, {
    action: { label: 'Undo', act: () => void restoreLinks(gone, () => show(gone)) },
  });
  return true;
}
