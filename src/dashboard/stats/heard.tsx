import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Feed } from './feed.ts';
import { heard } from './hit-words.ts';

const quietFor = 4_000;

/** Says politely what came in: many at once as one sentence. */
export function Heard({ feed, noun }: { feed: Feed; noun: string }) {
  const sentence = useSignal('');
  const said = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { count } = feed.arrived.value;
  useEffect(() => {
    said.current = 0;
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [feed]);
  useEffect(() => {
    const tell = () => {
      timer.current = undefined;
      const { count: soFar, last } = feed.arrived.value;
      const unsaid = soFar - said.current;
      if (unsaid <= 0 || !last) return;
      said.current = soFar;
      sentence.value = heard(unsaid, last, noun);
      timer.current = setTimeout(tell, quietFor);
    };
    if (timer.current === undefined) tell();
  }, [count]);
  return (
    <p class="unseen" role="status">
      {sentence.value}
    </p>
  );
}
