import { useEffect, useRef } from 'preact/hooks';
import type { Link } from '../../api-types.ts';
import { type Selection, useSelection } from '../../parts/selection.ts';
import { removedIds } from '../../remove-links.ts';
import { isByHistory } from '../../router.ts';
import { me } from '../../session.ts';

/** The links that were selected when the list was left. */
let kept: { readonly owner: string; readonly links: readonly Link[] } = { owner: '', links: [] };

/**
 * The selection of the list with these filters, which is cleared when they change. Back from another page, such as the
 * statistics of the selected links, restores it.
 */
export function useKeptSelection(filters: string, shown: readonly Link[] | undefined): Selection<Link> {
  const owner = `${me.value?.id} ${me.value?.organization_id} ${filters}`;
  const initial = isByHistory && kept.owner === owner ? kept.links : [];
  const selection = useSelection<Link>(initial.filter(({ id }) => !removedIds.value.has(id)));
  const previousOwner = useRef(owner);
  useEffect(() => {
    if (previousOwner.current !== owner) selection.clear();
    previousOwner.current = owner;
    return () => {
      kept = { owner, links: [...selection.chosen.values()] };
    };
  }, [owner]);
  useEffect(() => {
    const byId = new Map(shown?.map((link) => [link.id, link]));
    if (selection.chosen.size > 0) selection.update((link) => byId.get(link.id) ?? link);
  }, [shown]);
  return selection;
}
