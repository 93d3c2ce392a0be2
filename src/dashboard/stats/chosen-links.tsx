import { counted } from '../format.ts';
import { TagAndDomainFilter } from '../parts/tag-and-domain-filter.tsx';
import { setQuery } from '../router.ts';
import { type Chosen, idsIn } from './chosen.ts';
import { FilterChip } from './filter-chip.tsx';

/** Filters a board by tags, by a domain, or to links chosen in the list. */
export function ChosenLinks({ chosen }: { chosen: Chosen }) {
  const links = idsIn(chosen.ids).length;
  return (
    <div class="chosen-links" role="group" aria-label="Which links">
      <TagAndDomainFilter tagIds={idsIn(chosen.tag)} domain={chosen.domain ?? ''} onChange={setQuery} />
      {links > 0 && (
        <FilterChip action="Show all links again" onPress={() => setQuery({ ids: null })}>
          {counted(links, 'chosen link')}
        </FilterChip>
      )}
    </div>
  );
}
