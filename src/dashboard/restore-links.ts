import { asApiError } from './api-error.ts';
import { call } from './client.ts';
import { say } from './notices.ts';
import { refresh } from './queries.ts';
import { navigate } from './router.ts';
import { counted, number } from './words.ts';

/** All that links are shown by. */
export const askLinksAnew = (): Promise<boolean> => refresh('links', 'link ', 'tags', 'domains');

/** Brings deleted links back, and says what came of it. True when at least one is there again. */
export async function restoreLinks(ids: readonly number[], onDone: () => void = () => {}): Promise<boolean> {
  let back: readonly number[];
  try {
    back = (await call('POST /api/v1/link/restore', { body: { ids } })).ids;
  } catch (cause) {
    const error = asApiError(cause);
    say(`Nothing was brought back. ${error.message}`, {
      isError: true,
      ...(error.isPassing && {
        action: { label: 'Try again', act: () => void restoreLinks(ids, onDone) },
      }),
    });
    // Already restored by another user, or their time is over.
    if (error.status === 404) void askLinksAnew();
    return false;
  }
  onDone();
  void askLinksAnew();
  const [only] = back;
  const page = back.length === 1 ? `/app/links/${only}` : '/app';
  say(sentenceOn(back.length, ids.length), {
    action: { label: back.length === 1 ? 'Show link' : 'Show links', act: () => navigate(page) },
  });
  return true;
}

function sentenceOn(back: number, wanted: number): string {
  if (back === wanted) return `${counted(back, 'link')} brought back.`;
  const rest = wanted - back === 1 ? 'The other was' : 'The others were';
  return `${number(back)} of ${counted(wanted, 'link')} brought back. ${rest} brought back before, gone for good, or kept out by a link with the same address.`;
}
