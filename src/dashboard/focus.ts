/**
 * The focus is never lost to the body. When the focused element is removed (a row that is deleted, a button that is no
 * longer needed), it moves to the element now at that position; when it is disabled for a while, it returns.
 */
interface FocusPosition {
  readonly element: HTMLElement;
  /** Its position: each ancestor, and the index of the child that contains it. */
  readonly path: readonly (readonly [Element, number])[];
}

let latest: FocusPosition | null = null;

function positionOf(element: HTMLElement): FocusPosition {
  const path: [Element, number][] = [];
  for (let at: Element = element; at.parentElement && at !== document.body; at = at.parentElement)
    path.push([at.parentElement, [...at.parentElement.children].indexOf(at)]);
  return { element, path };
}

const isDisabled = (element: Element): boolean => element.matches(':disabled');
const isShown = (element: HTMLElement): boolean => element.checkVisibility() && !isDisabled(element);

function firstFocusableIn(part: Element | undefined): HTMLElement | undefined {
  if (!part) return undefined;
  const named = part.querySelector<HTMLElement>('[data-row-link]');
  if (named && isShown(named)) return named;
  const all = part.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary');
  return [...all].find(isShown);
}

/** The element now at its position, else the one before, else the first of an ancestor. */
function neighbourOf({ path }: FocusPosition): HTMLElement | undefined {
  for (const [parent, index] of path) {
    if (!parent.isConnected || parent.matches('body, #app, main')) continue;
    const found =
      firstFocusableIn(parent.children[index]) ??
      firstFocusableIn(parent.children[index - 1]) ??
      firstFocusableIn(parent);
    if (found) return found;
  }
  return document.querySelector<HTMLElement>('main h1') ?? undefined;
}

function restoreFocus(): void {
  const active = document.activeElement;
  if (!latest || (active && active !== document.body)) return;
  const { element } = latest;
  if (!element.isConnected) neighbourOf(latest)?.focus({ preventScroll: true });
  else if (isShown(element)) element.focus({ preventScroll: true });
}

export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement) latest = positionOf(target);
  });
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    if (relatedTarget !== null || !(target instanceof HTMLElement)) return;
    // The event may come before the element is removed.
    queueMicrotask(() => {
      const isLeftOnPurpose = target.isConnected && isShown(target) && document.hasFocus();
      if (isLeftOnPurpose && document.activeElement === document.body) latest = null;
    });
  });
  const seen = { subtree: true, childList: true, attributeFilter: ['disabled'] };
  // After any code that moves the focus itself.
  new MutationObserver(() => requestAnimationFrame(restoreFocus)).observe(document.body, seen);
}
