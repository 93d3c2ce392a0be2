import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ApiError, asApiError } from './api-error.ts';

/** The cached answer to one query: shown at once when its page is opened again, and reloaded. */
export interface Query<T> {
  readonly data: Signal<T | undefined>;
  readonly error: Signal<ApiError | null>;
  readonly isLoading: Signal<boolean>;
  /** True once an answer to this call or to a later one has loaded. */
  reload(): Promise<boolean>;
}

interface Entry<T> extends Query<T> {
  loadedAt: number;
  users: number;
  /** The number of the latest request; answers to earlier ones are dropped. */
  latest: number;
  /** Whether the latest one has loaded. */
  loading: Promise<boolean>;
  /** Belongs to a user who has signed out: dropped once no page uses it. */
  isForgotten: boolean;
  fetcher: () => Promise<T>;
}

const maxEntries = 100;
/** How long an answer is shared with parts that are added to a page; opening a page again reloads it. */
const freshFor = 200;
const cache = new Map<string, Entry<unknown>>();
const notLoaded = Promise.resolve(false);

function createEntry<T>(fetcher: () => Promise<T>): Entry<T> {
  const entry: Entry<T> = {
    data: signal<T | undefined>(undefined),
    error: signal<ApiError | null>(null),
    isLoading: signal(false),
    loadedAt: 0,
    users: 0,
    latest: 0,
    loading: notLoaded,
    isForgotten: false,
    fetcher,
    reload() {
      entry.loading = load(entry, ++entry.latest);
      return entry.loading;
    },
  };
  return entry;
}

async function load<T>(entry: Entry<T>, requestNumber: number): Promise<boolean> {
  entry.loadedAt = Date.now();
  entry.isLoading.value = true;
  const answer = await entry.fetcher().then(
    (data) => ({ data }),
    (cause) => ({ error: asApiError(cause) }),
  );
  // A later request has more recent data, or the answer is to be dropped.
  if (requestNumber !== entry.latest) return entry.loading;
  entry.isLoading.value = false;
  const isBack = entry.error.value !== null && 'data' in answer;
  if ('data' in answer) entry.data.value = answer.data;
  entry.error.value = 'error' in answer ? answer.error : null;
  if (isBack) reloadFailed();
  return 'data' in answer;
}

/** The API answers again: reloads all that has failed, as a page offers to try again for its main content only. */
function reloadFailed(): void {
  for (const entry of cache.values())
    if (entry.users > 0 && entry.error.value !== null && !entry.isLoading.value) void entry.reload();
}

/** The answer to a query. The key identifies the query. */
export function useQuery<T>(key: string, fetcher: () => Promise<T>): Query<T> {
  let entry = cache.get(key) as Entry<T> | undefined;
  if (!entry) {
    entry = createEntry(fetcher);
    cache.set(key, entry as Entry<unknown>);
    evictOldest();
  }
  const found = entry;
  found.fetcher = fetcher;
  useEffect(() => {
    const isShared = found.users > 0 && Date.now() - found.loadedAt <= freshFor;
    found.users += 1;
    // The cleanup of the page before may have dropped it since it was rendered.
    if (!cache.has(key)) cache.set(key, found as Entry<unknown>);
    if (!found.isLoading.value && !isShared) void found.reload();
    return () => {
      found.users -= 1;
      if (found.isForgotten && found.users === 0 && cache.get(key) === found) cache.delete(key);
    };
  }, [found]);
  return found;
}

/** Drops the answer that is being loaded. */
function stopLoading(entry: Entry<unknown>): void {
  entry.latest += 1;
  entry.loading = notLoaded;
  entry.isLoading.value = false;
}

function evictOldest(): void {
  for (const [key, entry] of cache) {
    if (cache.size <= maxEntries) return;
    if (entry.users === 0) cache.delete(key);
  }
}

/** Reloads the queries in use whose key begins with one of these, and drops the others. True when all have loaded. */
export async function refresh(...prefixes: readonly string[]): Promise<boolean> {
  const loading: Promise<boolean>[] = [];
  for (const [key, entry] of cache) {
    if (!prefixes.some((prefix) => key.startsWith(prefix))) continue;
    if (entry.users > 0) loading.push(entry.reload());
    else cache.delete(key);
  }
  return (await Promise.all(loading)).every(Boolean);
}

/** Changes a cached answer before the server's is loaded, which replaces it. One asked for earlier doesn't: it may lack the change. */
export function updateCached<T>(key: string, change: (known: T) => T): void {
  const entry = cache.get(key);
  if (entry?.data.value === undefined) return;
  stopLoading(entry);
  entry.data.value = change(entry.data.value as T);
}

export const forgetEverything = (): void => {
  for (const [key, entry] of cache) {
    stopLoading(entry);
    entry.isForgotten = true;
    entry.data.value = undefined;
    entry.error.value = null;
    if (entry.users === 0) cache.delete(key);
  }
};
