import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

interface Drag {
  readonly from: number;
  /** Its new index if it is dropped here. */
  readonly to: number;
}

/** Within this distance from an edge of the window, the page is scrolled. */
const scrollMargin = 80;
const scrollStep = 16;

/** Entries of a list that can be dragged by a handle, and moved by keys and buttons. */
export function useReorder(count: number, onMove: (from: number, to: number) => void) {
  /** The list, whose children are its entries. */
  const list = useRef<HTMLOListElement>(null);
  const drag = useSignal<Drag | null>(null);
  const focused = useRef<HTMLElement | null>(null);
  const stop = useRef<(() => void) | null>(null);
  useEffect(() => () => stop.current?.(), []);
  useLayoutEffect(() => {
    const element = focused.current;
    focused.current = null;
    if (element?.isConnected && document.activeElement !== element) element.focus({ preventScroll: true });
    element?.closest('li')?.scrollIntoView({ block: 'nearest' });
  });

  /** Moves an entry by a button, which keeps the focus: the browser would drop it when the entry moves. */
  const move = (from: number, to: number) => {
    if (to < 0 || to >= count || from === to) return;
    focused.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    onMove(from, to);
  };

  /** The index of an entry dropped at this height: after all others whose middle is above. */
  const indexAt = (y: number, from: number): number =>
    [...(list.current?.children ?? [])].filter((entry, index) => {
      const { top, height } = entry.getBoundingClientRect();
      return index !== from && top + height / 2 < y;
    }).length;

  const start = (from: number) => (event: PointerEvent) => {
    if (event.button !== 0) return;
    // Prevents selecting text.
    event.preventDefault();
    const { pointerId } = event;
    drag.value = { from, to: from };
    const listeners = new AbortController();
    const { signal } = listeners;
    stop.current = () => {
      listeners.abort();
      drag.value = null;
      stop.current = null;
    };
    const on = <Name extends keyof WindowEventMap>(name: Name, act: (event: WindowEventMap[Name]) => void) =>
      addEventListener(name, act, { signal });
    on('pointermove', ({ clientY, pointerId: movedPointerId }) => {
      if (movedPointerId !== pointerId) return;
      if (clientY < scrollMargin) scrollBy(0, -scrollStep);
      else if (clientY > innerHeight - scrollMargin) scrollBy(0, scrollStep);
      drag.value = { from, to: indexAt(clientY, from) };
    });
    on('pointerup', () => {
      const to = drag.value?.to ?? from;
      stop.current?.();
      move(from, to);
    });
    on('pointercancel', () => stop.current?.());
    on('keydown', ({ key }) => {
      if (key === 'Escape') stop.current?.();
    });
  };

  return {
    list,
    drag,
    /** The props of an entry's handle. */
    handle: (index: number) => ({ onPointerDown: start(index) }),
    /** Moves an entry by Alt and an arrow key, pressed anywhere in it. */
    onKeyDown: (index: number) => (event: KeyboardEvent) => {
      if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
      event.preventDefault();
      event.stopPropagation();
      move(index, index + (event.key === 'ArrowUp' ? -1 : 1));
    },
    move,
  };
}
