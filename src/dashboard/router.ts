import { signal } from '@preact/signals';

/** Where the page is, for whatever depends on it. */
export const path = signal(location.pathname);
export const search = signal(location.search);

interface Guard {
  /** What would be lost, as a sentence; null when nothing would. */
  readonly loss: () => string | null;
}

const guards = new Set<Guard>();
/** A move that waits for the person's word, because something would be lost. */
export const pendingMove = signal<{ readonly sentence: string; readonly go: () => void } | null>(null);

/** Asks before the page is left while `loss` says that something would be lost. Returns what takes it back. */
export function guardLeaving(loss: () => string | null): () => void {
  const guard = { loss };
  guards.add(guard);
  return () => guards.delete(guard);
}

const lossNow = (): string | null => {
  for (const guard of guards) {
    const sentence = guard.loss();
    if (sentence !== null) return sentence;
  }
  return null;
};

export function navigate(to: string, how: { replace?: boolean; anyway?: boolean } = {}): void {
  const sentence = how.anyway ? null : lossNow();
  if (sentence !== null) {
    pendingMove.value = { sentence, go: () => navigate(to, { ...how, anyway: true }) };
    return;
  }
  if (how.replace) history.replaceState(null, '', to);
  else if (to !== location.pathname + location.search) history.pushState(null, '', to);
  arrive();
}

/** Changes the question mark part alone: filters and pages, which are part of the address but no new page. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const query = new URLSearchParams(location.search);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(key);
    else query.set(key, value);
  }
  const text = query.toString();
  history.replaceState(null, '', location.pathname + (text ? `?${text}` : ''));
  search.value = location.search;
}

function arrive(): void {
  const isNewPage = path.value !== location.pathname;
  path.value = location.pathname;
  search.value = location.search;
  if (isNewPage) scrollTo(0, 0);
}

addEventListener('popstate', () => {
  const to = location.pathname + location.search;
  const sentence = lossNow();
  if (sentence === null || location.pathname === path.value) return arrive();
  history.pushState(null, '', path.value + search.value);
  pendingMove.value = { sentence, go: () => navigate(to, { anyway: true }) };
});

addEventListener('beforeunload', (event) => {
  if (lossNow() !== null) event.preventDefault();
});

/** Every plain click on a link of ours stays in the page. */
addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  if (!anchor || anchor.target || anchor.hasAttribute('download') || anchor.origin !== location.origin)
    return;
  if (!anchor.pathname.startsWith('/app')) return;
  event.preventDefault();
  navigate(anchor.pathname + anchor.search);
});

/** The parts of the address that a pattern such as `/app/links/:id` names; null when it is another page. */
export function match(pattern: string, at: string): Readonly<Record<string, string>> | null {
  const wanted = pattern.split('/');
  const given = at.replace(/\/$/, '').split('/');
  if (wanted.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':')) found[part.slice(1)] = value;
    else if (part !== value) return null;
  }
  return found;
}
