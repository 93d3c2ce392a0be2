import { useEffect, useRef } from 'preact/hooks';
import { refresh } from '../../queries.ts';
import { followHits } from '../../stats/live-stream.ts';
import { useWhenVisibleAgain } from '../../visibility.ts';

const minInterval = 2_000;
/** After more clicks than this between two reloads the stream is closed for a while, and the list reloaded instead. */
const maxEvents = 500;
const pause = 10_000;

const reloadList = (): void => void refresh('links');

/** Reloads the list when the window becomes visible again, and soon after one of its links is clicked. */
export function useAutoReload(isShown: (linkId: number) => boolean): void {
  const latest = useRef(isShown);
  latest.current = isShown;
  useWhenVisibleAgain(reloadList);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let reloadedAt = 0;
    let events = 0;
    let isLost = false;
    let stop = follow();
    const reloadIn = (milliseconds: number) => {
      timer = setTimeout(() => {
        reloadedAt = Date.now();
        timer = undefined;
        if (events > maxEvents) stop = follow();
        events = 0;
        reloadList();
      }, milliseconds);
    };
    function follow(): () => void {
      return followHits(
        'click',
        {},
        {
          onHit({ link_id }) {
            events += 1;
            if (events > maxEvents) {
              stop();
              clearTimeout(timer);
              reloadIn(pause);
            } else if (timer === undefined && latest.current(link_id))
              reloadIn(Math.max(0, reloadedAt + minInterval - Date.now()));
          },
          onState({ kind }) {
            // Shows the clicks that the stream has missed.
            if (kind === 'live' && isLost) reloadList();
            if (kind !== 'connecting') isLost = kind === 'lost';
          },
          onRefused: reloadList,
        },
      );
    }
    addEventListener('online', reloadList);
    return () => {
      stop();
      clearTimeout(timer);
      removeEventListener('online', reloadList);
    };
  }, []);
}
