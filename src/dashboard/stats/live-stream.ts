import { apiErrorOf } from '../api-error.ts';
import type { Click } from '../api-types.ts';
import type { Shown } from './shown-class.ts';

export type Standing =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** Connecting again by itself. */
  | { readonly kind: 'lost'; readonly sentence: string };

interface Told {
  readonly onHit: (hit: Click) => void;
  readonly onStanding: (standing: Standing) => void;
  /** The server doesn't give a stream now: what came in has to be read. */
  readonly onRefused: () => void;
}

const lost: Standing = {
  kind: 'lost',
  sentence: 'The connection is lost. Trying again; what comes in meanwhile will be shown then.',
};
export const signedOut: Standing = {
  kind: 'lost',
  sentence: 'Your session has ended. What comes in meanwhile will be shown after you sign in again.',
};
const refused = (why: string): Standing => ({ kind: 'lost', sentence: `${why} Trying again by itself.` });
const firstWait = 3_000;
const maxWait = 30_000;

/** Hits as they come in, for as long as the window is looked at. The browser connects again by itself where it can. */
export function followHits(shown: Shown, { onHit, onStanding, onRefused }: Told): () => void {
  const address = `/api/v1/clicks/live?class=${shown}`;
  const leaving = new AbortController();
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = firstWait;

  function open(): void {
    clearTimeout(timer);
    source?.close();
    onStanding({ kind: 'connecting' });
    const mine = new EventSource(address);
    source = mine;
    mine.addEventListener('open', () => {
      wait = firstWait;
      onStanding({ kind: 'live' });
    });
    mine.addEventListener('click', (event) => onHit(JSON.parse(event.data)));
    mine.addEventListener('error', () => {
      if (source !== mine) return;
      onStanding(lost);
      if (mine.readyState === EventSource.CLOSED) void askWhy();
    });
  }

  /** The browser gave up on a refusal, and doesn't say which it was. */
  async function askWhy(): Promise<void> {
    const asking = new AbortController();
    let pause = wait;
    wait = Math.min(wait * 2, maxWait);
    try {
      const response = await fetch(address, { signal: AbortSignal.any([asking.signal, leaving.signal]) });
      if (!response.ok) {
        const error = apiErrorOf(response, await response.json().catch(() => null));
        if (leaving.signal.aborted) return;
        onStanding(error.status === 401 ? signedOut : refused(error.message));
        pause = Math.max(pause, (error.retryAfter ?? 0) * 1_000);
        onRefused();
      }
      asking.abort();
    } catch {
      // No answer at all is what was said already.
    }
    if (leaving.signal.aborted) return;
    timer = setTimeout(open, pause);
  }

  function close(): void {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  }

  /** A hidden window keeps no connection: browsers share a few of them between all windows. */
  const onVisibility = () => (document.visibilityState === 'visible' ? open() : close());
  document.addEventListener('visibilitychange', onVisibility);
  if (document.visibilityState === 'visible') open();
  return () => {
    leaving.abort();
    document.removeEventListener('visibilitychange', onVisibility);
    close();
  };
}
