import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ApiError, asApiError } from './api-error.ts';

/** What is known of one question to the server: shown at once when its page comes back, asked anew behind it. */
export interface Query<T> {
  readonly data: Signal<T | undefined>;
  readonly error: Signal<ApiError | null>;
  readonly isAsking: Signal<boolean>;
  /** True when what is known now is the answer to this very question. */
  reload(): Promise<boolean>;
}

interface Kept<T> extends Query<T> {
  askedAt: number;
  users: number;
  fetcher: () => Promise<T>;
}

const maxKept = 100;
/** How long an answer is shared between the parts of a page; opening a page again loads it anew. */
const freshFor = 200;
const kept = new Map<string, Kept<unknown>>();

function make<T>(fetcher: () => Promise<T>): Kept<T> {
  let turn = 0;
  const entry: Kept<T> = {
    data: signal<T | undefined>(undefined),
    error: signal<ApiError | null>(null),
    isAsking: signal(false),
    askedAt: 0,
    users: 0,
    fetcher,
    async reload() {
      const mine = ++turn;
      entry.askedAt = Date.now();
      entry.isAsking.value = true;
      try {
        const data = await entry.fetcher();
        if (mine !== turn) return false;
        entry.data.value = data;
        entry.error.value = null;
        return true;
      } catch (cause) {
        if (mine === turn) entry.error.value = asApiError(cause);
        return false;
      } finally {
        if (mine === turn) entry.isAsking.value = false;
      }
    },
  };
  return entry;
}

/** The answer to a question, by its key; a key that changes is another question. */
export function useQuery<T>(key: string, fetcher: () => Promise<T>): Query<T> {
  let entry = kept.get(key) as Kept<T> | undefined;
  if (!entry) {
    entry = make(fetcher);
    kept.set(key, entry as Kept<unknown>);
    forgetOldest();
  }
  const found = entry;
  found.fetcher = fetcher;
  useEffect(() => {
    found.users += 1;
    if (!found.isAsking.value && Date.now() - found.askedAt > freshFor) void found.reload();
    return () => {
      found.users -= 1;
    };
  }, [found]);
  return found;
}

function forgetOldest(): void {
  for (const [key, entry] of kept) {
    if (kept.size <= maxKept) return;
    if (entry.users === 0) kept.delete(key);
  }
}

/** Asks anew whatever is shown and begins with one of these; what is not shown is forgotten. True when all is known. */
export async function refresh(...prefixes: readonly string[]): Promise<boolean> {
  const asked: Promise<boolean>[] = [];
  for (const [key, entry] of kept) {
    if (!prefixes.some((prefix) => key.startsWith(prefix))) continue;
    if (entry.users > 0) asked.push(entry.reload());
    else kept.delete(key);
  }
  return (await Promise.all(asked)).every(Boolean);
}

/** Puts what is known already in the place of an answer, until that comes. */
export function assume<T>(key: string, change: (known: T) => T): void {
  const entry = kept.get(key) as Kept<T> | undefined;
  if (entry?.data.value !== undefined) entry.data.value = change(entry.data.value);
}

export const forgetEverything = (): void => {
  for (const [key, entry] of kept) {
    entry.data.value = undefined;
    entry.error.value = null;
    if (entry.users === 0) kept.delete(key);
  }
};
