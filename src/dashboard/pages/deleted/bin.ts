import { asApiError } from '../../api-error.ts';
import type { DeletedLink } from '../../api-types.ts';
import { call } from '../../client.ts';
import { counted } from '../../format.ts';
import { notify, notifyError } from '../../notices.ts';
import { refresh } from '../../queries.ts';
import { shortOf } from '../../short-links.ts';

/** Identifies one deletion of a link: if it is restored and deleted again, that is another deletion. */
export const deletionOf = ({ id, deleted_at }: DeletedLink): string => `${id} ${deleted_at}`;

/** True if the link is no longer in the bin. */
export async function deleteForGood(link: DeletedLink): Promise<boolean> {
  try {
    await call('DELETE /api/v1/link/deleted/{id}', { params: { id: link.id } });
    notify(`${shortOf(link)} deleted for good.`);
    return true;
  } catch (cause) {
    // Already deleted permanently, by another user or because it was kept for its full time.
    if (asApiError(cause).status === 404) return true;
    notifyError(cause, `${shortOf(link)} is still in the bin.`);
    return false;
  } finally {
    void refresh('links deleted');
  }
}

export async function emptyBin(): Promise<void> {
  try {
    const { deleted } = await call('DELETE /api/v1/link/deleted');
    notify(`${counted(deleted, 'link')} deleted for good.`);
  } catch (cause) {
    notifyError(cause, 'The bin was not emptied.');
  }
  void refresh('links deleted');
}
