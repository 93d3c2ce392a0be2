import { type Signal, useSignal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import { type ApiError, asApiError } from './api-error.ts';
import { notifyError } from './notices.ts';
import { refresh } from './queries.ts';

export interface Action<A extends readonly unknown[]> {
  readonly isRunning: Signal<boolean>;
  readonly error: Signal<ApiError | null>;
  /** True on success. Does nothing while a call is under way. */
  run(...args: A): Promise<boolean>;
}

/** A user's action that calls the API, with its running state and its error. */
export function useAction<A extends readonly unknown[]>(work: (...args: A) => Promise<void>): Action<A> {
  const isRunning = useSignal(false);
  const error = useSignal<ApiError | null>(null);
  const latest = useRef(work);
  latest.current = work;
  const [action] = useState<Action<A>>(() => ({
    isRunning,
    error,
    async run(...args) {
      if (isRunning.value) return false;
      isRunning.value = true;
      error.value = null;
      try {
        await latest.current(...args);
        return true;
      } catch (cause) {
        error.value = asApiError(cause);
        return false;
      } finally {
        isRunning.value = false;
      }
    },
  }));
  return action;
}

/**
 * An action whose error is shown as a notice. Afterwards the queries of these prefixes are reloaded in any case. The rows of a list share
 * one: calls for several rows run one after another. The same call again, as by a double click, does nothing.
 */
export function useNoticedAction<A extends readonly unknown[]>(
  work: (...args: A) => Promise<void>,
  ...reloaded: readonly string[]
): Action<A> {
  const action = useAction(async (...args: A) => {
    await work(...args).catch((cause) => notifyError(cause));
    refresh(...reloaded);
  });
  const pending = useRef(new Map<string, Promise<boolean>>());
  const run = (...args: A): Promise<boolean> => {
    const key = JSON.stringify(args);
    if (pending.current.has(key)) return Promise.resolve(false);
    const previous = [...pending.current.values()].at(-1);
    const running = Promise.resolve(previous)
      .then(() => action.run(...args))
      .finally(() => pending.current.delete(key));
    pending.current.set(key, running);
    return running;
  };
  return { ...action, run };
}
