import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Query } from './queries.ts';

/** The value once it has not changed for a moment; the first one at once. */
export function useDebounced<T>(value: T, delay = 150): T {
  const debounced = useSignal(value);
  useEffect(() => {
    if (Object.is(debounced.value, value)) return;
    const timer = setTimeout(() => {
      debounced.value = value;
    }, delay);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced.value;
}

interface WithPrevious<T> {
  readonly data: T | undefined;
  /** Whether the data is the answer to the previous query, while the current one is loading. */
  readonly isOld: boolean;
}

/** Keeps showing the previous answer until the next one has loaded or failed; with `evenAfterError` also if it has failed. */
export function usePrevious<T>(
  { data: { value: data }, error }: Pick<Query<T>, 'data' | 'error'>,
  { evenAfterError = false } = {},
): WithPrevious<T> {
  const latest = useRef<T | undefined>(undefined);
  if (data !== undefined) latest.current = data;
  else if (error.value && !evenAfterError) latest.current = undefined;
  return { data: latest.current, isOld: data === undefined && latest.current !== undefined };
}
