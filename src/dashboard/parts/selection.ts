import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { number } from '../format.ts';
import { notify } from '../notices.ts';
import type { Shortcut } from '../shortcuts.ts';
import { focusedRow } from './rows.ts';

/** The maximum of one call. */
const maxChosen = 1000;

interface Choosable {
  readonly id: number;
}

export interface Selection<Link extends Choosable> {
  readonly chosen: ReadonlyMap<number, Link>;
  has(link: Link): boolean;
  /** With `upToHere` all links from the last toggled one to this one get the same state. */
  toggle(link: Link, shown: readonly Link[], upToHere?: boolean): void;
  choose(links: readonly Link[], isChosen: boolean): void;
  /** Changes the data of the chosen links. */
  update(change: (link: Link) => Link): void;
  clear(): void;
}

/** The chosen links, including those of other pages. */
export function useSelection<Link extends Choosable>(initial: readonly Link[] = []): Selection<Link> {
  const chosen = useSignal<ReadonlyMap<number, Link>>(new Map(initial.map((link) => [link.id, link])));
  const last = useRef<number>(null);
  const choose = (links: readonly Link[], isChosen: boolean) => {
    const changed = new Map(chosen.value);
    for (const link of links) {
      if (isChosen) changed.set(link.id, link);
      else changed.delete(link.id);
    }
    if (isChosen && changed.size > maxChosen) {
      notify(`At most ${number(maxChosen)} links can be selected at once.`, { isError: true });
      // The same rows, rendered again: the browser has already ticked the box.
      chosen.value = new Map(chosen.value);
      return;
    }
    chosen.value = changed;
  };
  return {
    // The current value rather than that of the last render: two keys may come faster than a render.
    get chosen() {
      return chosen.value;
    },
    has: ({ id }) => chosen.value.has(id),
    toggle(link, shown, upToHere = false) {
      const from = shown.findIndex(({ id }) => id === last.current);
      const to = shown.findIndex(({ id }) => id === link.id);
      const isRange = upToHere && from >= 0 && to >= 0;
      const links = isRange ? shown.slice(Math.min(from, to), Math.max(from, to) + 1) : [link];
      choose(links, !chosen.value.has(link.id));
      last.current = link.id;
    },
    choose,
    update(change) {
      chosen.value = new Map([...chosen.value].map(([id, link]) => [id, change(link)]));
    },
    clear() {
      chosen.value = new Map();
      last.current = null;
    },
  };
}

/** The chosen links, or the one whose row has the focus. */
export function chosenOrFocused<Link extends Choosable>(
  { chosen }: Selection<Link>,
  shown: readonly Link[],
): readonly Link[] {
  const focused = focusedRow(shown);
  if (chosen.size > 0) return [...chosen.values()];
  return focused ? [focused] : [];
}

/** The keys that choose the focused row, and clear the selection. */
export function selectionKeys<Link extends Choosable>(
  selection: Selection<Link>,
  shown: readonly Link[],
): readonly Shortcut[] {
  const toggle = (upToHere: boolean) => {
    const link = focusedRow(shown);
    if (link) selection.toggle(link, shown, upToHere);
  };
  return [
    { key: 'x', description: 'Select the link', act: () => toggle(false) },
    { key: 'X', description: 'Select all links up to this one', act: () => toggle(true) },
    { key: 'Escape', description: 'Clear the selection', act: () => selection.clear() },
  ];
}
