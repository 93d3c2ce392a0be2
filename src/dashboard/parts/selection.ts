import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { say } from '../notices.ts';
import { number } from '../words.ts';

/** So many ids one call takes. */
const maxChosen = 1000;

interface Choosable {
  readonly id: number;
}

export interface Selection<Link extends Choosable> {
  readonly chosen: ReadonlyMap<number, Link>;
  has(link: Link): boolean;
  /** With `upToHere` all between the one that was turned last and this one go the same way. */
  toggle(link: Link, shown: readonly Link[], upToHere?: boolean): void;
  choose(links: readonly Link[], isChosen: boolean): void;
  /** What is known of the chosen links has changed. */
  update(change: (link: Link) => Link): void;
  clear(): void;
}

/** The links that are chosen, also those of other pages. */
export function useSelection<Link extends Choosable>(): Selection<Link> {
  const chosen = useSignal<ReadonlyMap<number, Link>>(new Map());
  const last = useRef<number>(null);
  const choose = (links: readonly Link[], isChosen: boolean) => {
    const changed = new Map(chosen.value);
    for (const link of links) {
      if (isChosen) changed.set(link.id, link);
      else changed.delete(link.id);
    }
    if (isChosen && changed.size > maxChosen) {
      say(`At most ${number(maxChosen)} links can be selected at once.`, { isError: true });
      return;
    }
    chosen.value = changed;
  };
  return {
    // Not what it was when the page was drawn: two keys may come faster than that.
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
