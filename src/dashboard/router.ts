import { signal } from '@preact/signals';
import { queryWith } from './query-string.ts';
import { askBefore } from './questions.ts';

/** The address of the current page. */
export const path = signal(location.pathname);
export const search = signal(location.search);
/** The part of the page to scroll to, with its `#`. A new object for each navigation, as one may lead to the same part again. */
export const fragment = signal({ hash: location.hash });

/** Whether the browser's Back or Forward led to the current page. */
export let isByHistory = false;

interface Loss {
  /** What would be lost. */
  readonly sentence: string;
  /** The label of the button that leaves the page anyway. */
  readonly action: string;
}

/** What would be lost, as a sentence; null if nothing would. `to` is the path of the next page of the dashboard, if it is one. */
type Guard = (to: string | undefined) => string | null;

const guards = new Map<Guard, string>();

/** Asks before the page is left while the guard returns what would be lost. Returns a function that removes the guard. */
export function guardLeaving(guard: Guard, action = 'Discard changes'): () => void {
  guards.set(guard, action);
  return () => guards.delete(guard);
}

/** Asks before what is not saved is lost. */
const askBeforeLeaving = (loss: Loss, act: () => void): void =>
  askBefore({ title: 'Leave this page?', ...loss, cancelLabel: 'Stay here', act });

/** Leaves the page by `go`; if something would be lost, only once the user has confirmed that. */
export function leaveBy(go: () => void, to?: string): void {
  const loss = lossOnWay(to);
  if (loss === null) go();
  else askBeforeLeaving(loss, go);
}

const lossOnWay = (to?: string): Loss | null => {
  for (const [guard, action] of guards) {
    const sentence = guard(to);
    if (sentence !== null) return { sentence, action };
  }
  return null;
};

export function navigate(to: string, options: { replace?: boolean; force?: boolean } = {}): void {
  const go = () => {
    if (options.replace) history.replaceState(null, '', to);
    else if (to !== location.pathname + location.search + location.hash) history.pushState(null, '', to);
    isByHistory = false;
    applyLocation();
  };
  if (options.force) go();
  else leaveBy(go, new URL(to, location.href).pathname);
}

/** Whether the user is on this page, or on one below it. */
export const isOn = (page: string): boolean => `${path.value}/`.startsWith(`${page}/`);

/** Changes only the query: filters and page numbers, which are part of the address but not a new page. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  history.replaceState(null, '', location.pathname + queryWith(location.search, changes));
  search.value = location.search;
}

function applyLocation(): void {
  const isNewPage = path.value !== location.pathname;
  path.value = location.pathname;
  search.value = location.search;
  fragment.value = { hash: location.hash };
  if (isNewPage) scrollTo(0, 0);
}

/** The user has confirmed what is lost by the browser's Back. */
let isBackConfirmed = false;

addEventListener('popstate', () => {
  // The page that is left removes its guard only when it is rendered no more: a further Back may come before that.
  if (isBackConfirmed) guards.clear();
  isBackConfirmed = false;
  const loss = lossOnWay(location.pathname);
  if (loss === null || location.pathname === path.value) {
    isByHistory = true;
    return applyLocation();
  }
  history.pushState(null, '', path.value + search.value);
  // To the entry before the one just added, so that a further Back doesn't return to the page that was left.
  askBeforeLeaving(loss, () => {
    isBackConfirmed = true;
    history.back();
  });
});

addEventListener('beforeunload', (event) => {
  if (lossOnWay() !== null) event.preventDefault();
});

/** A plain click on a link of the dashboard doesn't load the page again. */
addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const anchor = event.target instanceof Element ? event.target.closest('a') : null;
  if (!anchor || anchor.target || anchor.hasAttribute('download') || anchor.origin !== location.origin)
    return;
  if (!anchor.pathname.startsWith('/app')) return;
  // Within the page the browser scrolls, and moves the focus.
  if (anchor.hash !== '' && anchor.pathname + anchor.search === location.pathname + location.search) return;
  event.preventDefault();
  navigate(anchor.pathname + anchor.search + anchor.hash);
});

/** The parameters of a pattern such as `/app/links/:id`; null if the address doesn't match. */
export function match(pattern: string, pathname: string): Readonly<Record<string, string>> | null {
  const patternParts = pattern.split('/');
  const pathParts = pathname.replace(/\/$/, '').split('/');
  if (patternParts.length !== pathParts.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, part] of patternParts.entries()) {
    const value = pathParts[index] ?? '';
    if (part.startsWith(':')) parameters[part.slice(1)] = value;
    else if (part !== value) return null;
  }
  return parameters;
}
