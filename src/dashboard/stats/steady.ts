import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Query } from '../queries.ts';

/** A value once it has stood still for a moment: the first one at once. */
export function useSettled<T>(value: T, patience = 150): T {
  const settled = useSignal(value);
  useEffect(() => {
    if (Object.is(settled.value, value)) return;
    const timer = setTimeout(() => {
      settled.value = value;
    }, patience);
    return () => clearTimeout(timer);
  }, [value]);
  return settled.value;
}

export interface Steady<T> {
  readonly data: T | undefined;
  /** An answer to the question before: the one to this is on its way. */
  readonly isOld: boolean;
}

/** What is shown stays until its successor is there, unless that fails. */
export function useSteady<T>(query: Query<T>): Steady<T> {
  const latest = useRef<T | undefined>(undefined);
  const data = query.data.value;
  if (data !== undefined) latest.current = data;
  else if (query.trouble.value) latest.current = undefined;
  return { data: latest.current, isOld: data === undefined && latest.current !== undefined };
}
