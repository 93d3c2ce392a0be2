import { useEffect, useRef } from 'preact/hooks';
import { refresh } from '../../queries.ts';

const leastBetween = 2_000;
/** Where more clicks than this come in between two looks, the stream is too much of a good thing: a look now and then does. */
const maxEvents = 500;
const rest = 10_000;

/** Asks anew for what is shown when it comes into view again, and soon after one of its links is clicked. */
export function useFresh(isShown: (linkId: number) => boolean): void {
  const latest = useRef(isShown);
  latest.current = isShown;
  useEffect(() => {
    let stream: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lookedAt = 0;
    let events = 0;
    const look = () => {
      lookedAt = Date.now();
      timer = undefined;
      events = 0;
      follow();
      refresh('links');
    };
    const lookIn = (wait: number) => {
      clearTimeout(timer);
      timer = setTimeout(look, Math.max(0, wait));
    };
    const onClick = ({ data }: MessageEvent<string>) => {
      events += 1;
      if (events > maxEvents) {
        stop();
        lookIn(rest);
      } else if (timer === undefined && latest.current(linkIdIn(data))) {
        lookIn(lookedAt + leastBetween - Date.now());
      }
    };
    const stop = () => {
      stream?.close();
      stream = undefined;
    };
    const follow = () => {
      if (document.visibilityState === 'hidden') return stop();
      if (stream && stream.readyState !== EventSource.CLOSED) return;
      stream = new EventSource('/api/v1/clicks/live?class=click');
      stream.addEventListener('click', onClick);
    };
    const comeBack = () => {
      follow();
      if (document.visibilityState === 'visible') refresh('links');
    };
    follow();
    document.addEventListener('visibilitychange', comeBack);
    addEventListener('online', comeBack);
    return () => {
      stop();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', comeBack);
      removeEventListener('online', comeBack);
    };
  }, []);
}

function linkIdIn(data: string): number {
  try {
    const { link_id }: { link_id?: unknown } = JSON.parse(data);
    return Number(link_id);
  } catch {
    return Number.NaN;
  }
}
