import { apiErrorOf } from '../api-error.ts';
import type { Click } from '../api-types.ts';
import type { Chosen } from './chosen.ts';
import type { ShownClass } from './shown-class.ts';

export type StreamState =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** The stream reconnects automatically. */
  | { readonly kind: 'lost'; readonly sentence: string };

interface Listener {
  readonly onHit: (hit: Click) => void;
  readonly onState: (state: StreamState) => void;
  /** The server refuses the stream for now, so the hits have to be loaded. */
  readonly onRefused: () => void;
}

const lost: StreamState = {
  kind: 'lost',
  sentence: 'The connection is lost. Trying again; hits that arrive meanwhile will be shown then.',
};
export const signedOut: StreamState = {
  kind: 'lost',
  sentence: 'Your session has ended. Hits that arrive meanwhile will be shown after you sign in again.',
};
const refused = (reason: string): StreamState => ({
  kind: 'lost',
  sentence: `${reason} Trying again automatically.`,
});
const firstWait = 3_000;
const maxWait = 30_000;

/** Streams hits of the chosen links while the window is visible. The browser reconnects by itself where it can. */
export function followHits(
  shown: ShownClass,
  chosen: Chosen,
  { onHit, onState, onRefused }: Listener,
): () => void {
  const address = `/api/v1/clicks/live?${new URLSearchParams({ class: shown, ...chosen })}`;
  const closing = new AbortController();
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wait = firstWait;

  function open(): void {
    clearTimeout(timer);
    source?.close();
    onState({ kind: 'connecting' });
    const opened = new EventSource(address);
    source = opened;
    opened.addEventListener('open', () => {
      wait = firstWait;
      onState({ kind: 'live' });
    });
    opened.addEventListener('click', (event) => onHit(JSON.parse(event.data)));
    opened.addEventListener('error', () => {
      if (source !== opened) return;
      onState(lost);
      if (opened.readyState === EventSource.CLOSED) void findRefusal();
    });
  }

  /** The browser gave up after a refusal and doesn't report its reason, so the same request is sent by `fetch`. */
  async function findRefusal(): Promise<void> {
    const probe = new AbortController();
    let pause = wait;
    wait = Math.min(wait * 2, maxWait);
    try {
      const response = await fetch(address, { signal: AbortSignal.any([probe.signal, closing.signal]) });
      if (!response.ok) {
        const error = apiErrorOf(response, await response.json().catch(() => null));
        if (closing.signal.aborted) return;
        onState(error.status === 401 ? signedOut : refused(error.message));
        pause = Math.max(pause, (error.retryAfter ?? 0) * 1_000);
        onRefused();
      }
      probe.abort();
    } catch {
      // Without an answer the state stays `lost`.
    }
    if (closing.signal.aborted) return;
    timer = setTimeout(open, pause);
  }

  function close(): void {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  }

  /** A hidden window keeps no connection: browsers limit their number across all windows. */
  const onVisibility = () => (document.visibilityState === 'visible' ? open() : close());
  document.addEventListener('visibilitychange', onVisibility);
  if (document.visibilityState === 'visible') open();
  return () => {
    closing.abort();
    document.removeEventListener('visibilitychange', onVisibility);
    close();
  };
}
