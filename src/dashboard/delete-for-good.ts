import { asApiError } from './api-error.ts';
import type { DeletedLink } from './api-types.ts';
import { call } from './client.ts';
import { say } from './notices.ts';
import { refresh } from './queries.ts';
import { shortOf } from './short.ts';
import { counted } from './words.ts';

const askAnew = (): Promise<boolean> => refresh('links deleted');

/** True when it is gone. */
export async function deleteForGood(link: DeletedLink): Promise<boolean> {
  try {
    await call('DELETE /api/v1/link/deleted/{id}', { params: { id: link.id } });
  } catch (cause) {
    const error = asApiError(cause);
    void askAnew();
    // Already deleted for good, by another user or because its time is over.
    if (error.status === 404) return true;
    say(`${shortOf(link)} is still in the bin. ${error.message}`, { isError: true });
    return false;
  }
  void askAnew();
  say(`${shortOf(link)} deleted for good.`);
  return true;
}

export async function emptyBin(): Promise<void> {
  try {
    const { deleted } = await call('DELETE /api/v1/link/deleted');
    say(`${counted(deleted, 'link')} deleted for good.`);
  } catch (cause) {
    say(`The bin was not emptied. ${asApiError(cause).message}`, { isError: true });
  }
  void askAnew();
}
