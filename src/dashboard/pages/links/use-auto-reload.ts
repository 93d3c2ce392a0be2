import { useEffect, useRef } from 'preact/hooks';
import type { Click } from '../../api-types.ts';
import { refresh } from '../../queries.ts';

const minInterval = 2_000;
/** After more clicks than this between two reloads the stream is closed for a while, and the list reloaded instead. */
const maxEvents = 500;
const pause = 10_000;
/** Milliseconds until a stream that was refused is opened again; twice as long after each further refusal. */
const firstWait = 2_000;
const maxWait = 60_000;

/** Reloads the list when the window becomes visible again, and soon after one of its links is clicked. */
export function useAutoReload(isShown: (linkId: number) => boolean): void {
  const latest = useRef(isShown);
  latest.current = isShown;
  useEffect(() => {
    let stream: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reloadedAt = 0;
    let events = 0;
    let wait = firstWait;
    const reload = () => {
      reloadedAt = Date.now();
      timer = undefined;
      events = 0;
      follow();
      refresh('links');
    };
    const reloadIn = (milliseconds: number) => {
      clearTimeout(timer);
      timer = setTimeout(reload, Math.max(0, milliseconds));
    };
    const onClick = ({ data }: MessageEvent<string>) => {
      events += 1;
      if (events > maxEvents) {
        stop();
        reloadIn(pause);
      } else if (timer === undefined) {
        const { link_id }: Click = JSON.parse(data);
        if (latest.current(link_id)) reloadIn(reloadedAt + minInterval - Date.now());
      }
    };
    const stop = () => {
      stream?.close();
      stream = undefined;
    };
    const follow = () => {
      if (document.visibilityState === 'hidden') return stop();
      if (stream && stream.readyState !== EventSource.CLOSED) return;
      const opened = new EventSource('/api/v1/clicks/live?class=click');
      stream = opened;
      opened.addEventListener('click', onClick);
      opened.addEventListener('open', () => {
        wait = firstWait;
      });
      // After a refusal, such as a proxy's, the browser doesn't connect again by itself.
      opened.addEventListener('error', () => {
        if (stream !== opened || opened.readyState !== EventSource.CLOSED) return;
        reloadIn(wait);
        wait = Math.min(wait * 2, maxWait);
      });
    };
    const onReturn = () => {
      follow();
      if (document.visibilityState === 'visible') refresh('links');
    };
    follow();
    document.addEventListener('visibilitychange', onReturn);
    addEventListener('online', onReturn);
    return () => {
      stop();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onReturn);
      removeEventListener('online', onReturn);
    };
  }, []);
}
