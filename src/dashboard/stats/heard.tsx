import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Click } from '../api-types.ts';
import type { Feed } from './feed.ts';
import { heard } from './hit-words.ts';

const quietFor = 4_000;

/** Says politely what came in: many at once as one sentence. */
export function Heard({ feed, noun }: { feed: Feed; noun: string }) {
  const sentence = useSignal('');
  const unsaid = useRef<Click[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = feed.latest.value;
  useEffect(() => {
    if (latest.length === 0) return;
    unsaid.current.push(...latest);
    if (timer.current !== undefined) return;
    const tell = () => {
      timer.current = undefined;
      if (unsaid.current.length === 0) return;
      sentence.value = heard(unsaid.current, noun);
      unsaid.current = [];
      timer.current = setTimeout(tell, quietFor);
    };
    tell();
  }, [latest]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <p class="unseen" role="status">
      {sentence.value}
    </p>
  );
}
