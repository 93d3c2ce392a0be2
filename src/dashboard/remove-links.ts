import { signal } from '@preact/signals';
import { asApiError } from './api-error.ts';
import type { Link } from './api-types.ts';
import { call } from './client.ts';
import { counted, number } from './format.ts';
import { notify, notifyError } from './notices.ts';
import { confirmingPrint, isOnPaper } from './on-paper.ts';
import { refresh } from './queries.ts';
import { navigate } from './router.ts';
import { shortOf } from './short-links.ts';

/** Links that the user has deleted: no list shows them, even if its data still contains them. */
export const removedIds = signal<ReadonlySet<number>>(new Set());

const hide = (ids: readonly number[]): void => {
  removedIds.value = new Set([...removedIds.value, ...ids]);
};
const show = (ids: readonly number[]): void => {
  removedIds.value = new Set([...removedIds.value].filter((id) => !ids.includes(id)));
};

/** True once every list of links has loaded, whatever becomes of the rest: a deleted link's own page has nothing to load. */
function reloadLinks(): Promise<boolean> {
  void refresh('link ', 'tags', 'domains', 'utm values');
  return refresh('links');
}

/** Hides the links at once, and shows them again if the call fails. True when they are deleted. */
export async function removeLinks(links: readonly Link[]): Promise<boolean> {
  const ids = links.map(({ id }) => id);
  const [first] = links;
  if (!first) return false;
  const named = links.length === 1 ? shortOf(first) : counted(links.length, 'link');
  hide(ids);
  let deletedIds: readonly number[];
  try {
    const send = (confirm: true | undefined) =>
      call('POST /api/v1/link/bulk_delete', { query: { confirm }, body: { ids } });
    deletedIds = (await confirmingPrint(send, { links: named })).ids;
  } catch (cause) {
    show(ids);
    if (isOnPaper(cause)) return false;
    const what = links.length === 1 ? 'The link was' : 'The links were';
    notifyError(cause, `${what} not deleted.`, () => void removeLinks(links));
    return false;
  }
  // Then nothing needs to hide them: they may be restored elsewhere.
  void reloadLinks().then((haveLoaded) => haveLoaded && show(ids));
  if (deletedIds.length === 0) {
    notify(links.length === 1 ? 'The link had already been deleted.' : 'The links had already been deleted.');
    return true;
  }
  const what = links.length === 1 ? shortOf(first) : counted(deletedIds.length, 'link');
  // Links that another user deleted meanwhile are not restored.
  notify(`${what} deleted.`, { undo: () => void restoreLinks(deletedIds) });
  return true;
}

/** Restores deleted links and reports the result. True if at least one is restored. */
export async function restoreLinks(ids: readonly number[]): Promise<boolean> {
  let restoredIds: readonly number[];
  try {
    restoredIds = (await call('POST /api/v1/link/restore', { body: { ids } })).ids;
  } catch (cause) {
    const { isTransient, status } = asApiError(cause);
    const retry = () => void restoreLinks(ids);
    notifyError(cause, 'Nothing was restored.', isTransient ? retry : undefined);
    // Already restored by another user, or kept for too long.
    if (status === 404) void reloadLinks();
    return false;
  }
  show(ids);
  void reloadLinks();
  const [only] = restoredIds;
  const page = restoredIds.length === 1 ? `/app/links/${only}` : '/app';
  notify(restoredSentence(restoredIds.length, ids.length), {
    action: { label: restoredIds.length === 1 ? 'Show link' : 'Show links', act: () => navigate(page) },
  });
  return true;
}

function restoredSentence(restored: number, requested: number): string {
  if (restored === requested) return `${counted(restored, 'link')} restored.`;
  const rest = requested - restored === 1 ? 'The other was' : 'The others were';
  return `${number(restored)} of ${counted(requested, 'link')} restored. ${rest} already restored, deleted for good, or blocked by a link with the same address.`;
}
