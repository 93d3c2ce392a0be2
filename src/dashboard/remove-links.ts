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
export const removed = signal<ReadonlySet<number>>(new Set());

const hide = (ids: readonly number[]): void => {
  removed.value = new Set([...removed.value, ...ids]);
};
const show = (ids: readonly number[]): void => {
  removed.value = new Set([...removed.value].filter((id) => !ids.includes(id)));
};

const reloadLinks = (): Promise<boolean> => refresh('links', 'link ', 'tags', 'domains');

/** Hides the links at once, and shows them again if the call fails. True when they are deleted. */
export async function removeLinks(links: readonly Link[]): Promise<boolean> {
  const ids = links.map(({ id }) => id);
  const [first] = links;
  if (!first) return false;
  hide(ids);
  let gone: readonly number[];
  try {
    const send = (confirm: true | undefined) =>
      call('POST /api/v1/link/bulk_delete', { query: { confirm }, body: { ids } });
    gone = (await confirmingPrint(send)).ids;
  } catch (cause) {
    show(ids);
    if (isOnPaper(cause)) return false;
    const what = links.length === 1 ? 'The link was' : 'The links were';
    notifyError(cause, `${what} not deleted.`, () => void removeLinks(links));
    return false;
  }
  // Once every list is reloaded nothing needs to hide them: they may be restored elsewhere.
  void reloadLinks().then((isKnown) => isKnown && show(ids));
  if (gone.length === 0) {
    notify(links.length === 1 ? 'The link had already been deleted.' : 'The links had already been deleted.');
    return true;
  }
  const what = links.length === 1 ? shortOf(first) : counted(gone.length, 'link');
  // Links that another user deleted meanwhile are not restored.
  notify(`${what} deleted.`, {
    action: { label: 'Undo', act: () => void restoreLinks(gone, () => show(gone)) },
  });
  return true;
}

/** Restores deleted links and reports the result. True if at least one is restored. */
export async function restoreLinks(ids: readonly number[], onDone: () => void = () => {}): Promise<boolean> {
  let back: readonly number[];
  try {
    back = (await call('POST /api/v1/link/restore', { body: { ids } })).ids;
  } catch (cause) {
    const { isTransient, status } = asApiError(cause);
    const retry = () => void restoreLinks(ids, onDone);
    notifyError(cause, 'Nothing was restored.', isTransient ? retry : undefined);
    // Already restored by another user, or kept for too long.
    if (status === 404) void reloadLinks();
    return false;
  }
  onDone();
  void reloadLinks();
  const [only] = back;
  const page = back.length === 1 ? `/app/links/${only}` : '/app';
  notify(restoredSentence(back.length, ids.length), {
    action: { label: back.length === 1 ? 'Show link' : 'Show links', act: () => navigate(page) },
  });
  return true;
}

function restoredSentence(back: number, wanted: number): string {
  if (back === wanted) return `${counted(back, 'link')} restored.`;
  const rest = wanted - back === 1 ? 'The other was' : 'The others were';
  return `${number(back)} of ${counted(wanted, 'link')} restored. ${rest} already restored, deleted for good, or blocked by a link with the same address.`;
}
