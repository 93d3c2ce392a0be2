import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Feed } from './feed.ts';
import { announcement } from './hit-words.ts';

const minInterval = 4_000;

/** Announces new hits to screen readers: several at once as one sentence, at most one every few seconds. */
export function LiveAnnouncer({ feed, noun }: { feed: Feed; noun: string }) {
  const sentence = useSignal('');
  const announced = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { count } = feed.arrived.value;
  useEffect(() => {
    announced.current = 0;
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [feed]);
  useEffect(() => {
    const announce = () => {
      timer.current = undefined;
      const { count: soFar, last } = feed.arrived.value;
      const unannounced = soFar - announced.current;
      if (unannounced <= 0 || !last) return;
      announced.current = soFar;
      sentence.value = announcement(unannounced, last, noun);
      timer.current = setTimeout(announce, minInterval);
    };
    if (timer.current === undefined) announce();
  }, [count]);
  return (
    <p class="unseen" role="status">
      {sentence.value}
    </p>
  );
}
