import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface Shortcut {
  /** `c`, `/`, `Enter`, `Ctrl K`. */
  readonly key: string;
  /** What it does, for the list that `?` shows. */
  readonly description: string;
  readonly act: (event: KeyboardEvent) => void;
}

const layers: { readonly current: readonly Shortcut[] }[] = [];
/** The current shortcuts, for the list that `?` shows. */
export const currentShortcuts = signal<readonly Shortcut[]>([]);

const updateCurrentShortcuts = (): void => {
  currentShortcuts.value = layers.flatMap(({ current }) => current);
};

/** Adds shortcuts while the component is mounted; the last one mounted takes precedence. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const layer = useRef(shortcuts);
  layer.current = shortcuts;
  // Added before the page is painted: a key may be pressed as soon as the page is visible.
  useLayoutEffect(() => {
    layers.push(layer);
    updateCurrentShortcuts();
    return () => {
      layers.splice(layers.indexOf(layer), 1);
      updateCurrentShortcuts();
    };
  }, []);
}

function nameOf({ ctrlKey, metaKey, key }: KeyboardEvent): string {
  if (!ctrlKey && !metaKey) return key;
  return `Ctrl ${key.length === 1 ? key.toUpperCase() : key}`;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement &&
      !['checkbox', 'radio', 'button', 'range', 'color'].includes(target.type)));

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  const name = nameOf(event);
  const isPlain = !name.startsWith('Ctrl ');
  if (isPlain && isTyping(event.target)) return;
  const isInDialog = document.querySelector('dialog[open]') !== null;
  if (isPlain && isInDialog) return;
  // Enter belongs to the focused button.
  if (
    name === 'Enter' &&
    event.target instanceof Element &&
    event.target.closest('a, button, summary, input, label')
  )
    return;
  for (const layer of layers.toReversed()) {
    const shortcut = layer.current.find(({ key }) => key === name);
    if (!shortcut) continue;
    // In an open dialog the page's shortcuts do nothing; nor does the browser then save the page.
    event.preventDefault();
    if (!isInDialog) shortcut.act(event);
    return;
  }
});
