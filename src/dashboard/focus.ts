/**
 * The focus never falls to nothing. When what has it goes (a row that is deleted, a button that is done with), it moves
 * to what stands there now; when it is only disabled for a while, it comes back.
 */
interface Place {
  readonly element: HTMLElement;
  /** Where it stood: each parent, and which child of it led there. */
  readonly trail: readonly (readonly [Element, number])[];
}

let latest: Place | null = null;

function placeOf(element: HTMLElement): Place {
  const trail: [Element, number][] = [];
  for (let at: Element = element; at.parentElement && at !== document.body; at = at.parentElement)
    trail.push([at.parentElement, [...at.parentElement.children].indexOf(at)]);
  return { element, trail };
}

const isDisabled = (element: Element): boolean => element.matches(':disabled');
const isShown = (element: HTMLElement): boolean => element.checkVisibility() && !isDisabled(element);

function firstIn(part: Element | undefined): HTMLElement | undefined {
  if (!part) return undefined;
  const named = part.querySelector<HTMLElement>('[data-row-link]');
  if (named && isShown(named)) return named;
  const all = part.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary');
  return [...all].find(isShown);
}

/** The neighbour that took its place, else the one before, else the first of what is around. */
function neighbourOf({ trail }: Place): HTMLElement | undefined {
  for (const [parent, index] of trail) {
    if (!parent.isConnected || parent.matches('body, #app, main')) continue;
    const found = firstIn(parent.children[index]) ?? firstIn(parent.children[index - 1]) ?? firstIn(parent);
    if (found) return found;
  }
  return document.querySelector<HTMLElement>('main h1') ?? undefined;
}

function look(): void {
  const active = document.activeElement;
  if (!latest || (active && active !== document.body)) return;
  const { element } = latest;
  if (!element.isConnected) neighbourOf(latest)?.focus({ preventScroll: true });
  else if (isShown(element)) element.focus({ preventScroll: true });
}

export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement) latest = placeOf(target);
  });
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    if (relatedTarget !== null || !(target instanceof HTMLElement)) return;
    // A browser may tell of it before the element is gone.
    queueMicrotask(() => {
      const isLeftOnPurpose = target.isConnected && isShown(target) && document.hasFocus();
      if (isLeftOnPurpose && document.activeElement === document.body) latest = null;
    });
  });
  const seen = { subtree: true, childList: true, attributeFilter: ['disabled'] };
  // After whatever takes the focus itself has done so.
  new MutationObserver(() => requestAnimationFrame(look)).observe(document.body, seen);
}
