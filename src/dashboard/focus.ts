/**
 * The focus is never lost to the body. When the focused element is removed (a row that is deleted, a button that is no
 * longer needed), it moves to the element now at that position; when it is disabled for a while, it returns. It also returns from an
 * element with `data-passing`, which is focused only for a moment.
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

function firstFocusableIn(container: Element | undefined): HTMLElement | undefined {
  if (!container) return undefined;
  const rowLink = container.querySelector<HTMLElement>('[data-row-link]');
  if (rowLink && isShown(rowLink)) return rowLink;
  const all = container.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary');
  return [...all].find(isShown);
}

/** The focusable element that is now at this position, else the one before it, else the first in an ancestor. */
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
    if (target instanceof HTMLElement && !target.matches('[data-passing]')) latest = positionOf(target);
  });
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    if (relatedTarget !== null || !(target instanceof HTMLElement)) return;
    // The event may be fired before the element is removed.
    queueMicrotask(() => {
      const isLeftOnPurpose = target.isConnected && isShown(target) && document.hasFocus();
      if (isLeftOnPurpose && document.activeElement === document.body) latest = null;
    });
  });
  const observed = { subtree: true, childList: true, attributeFilter: ['disabled'] };
  // Runs after any code that moves the focus itself.
  new MutationObserver(() => requestAnimationFrame(restoreFocus)).observe(document.body, observed);
}
