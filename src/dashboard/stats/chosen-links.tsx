import { counted } from '../format.ts';
import { Icon } from '../parts/icons.tsx';
import { TagAndDomainFilter } from '../parts/tag-and-domain-filter.tsx';
import { setQuery } from '../router.ts';
import { type Chosen, idsIn } from './chosen.ts';

/** Filters a board by tags, by a domain, or to links chosen in the list. */
export function ChosenLinks({ chosen }: { chosen: Chosen }) {
  const links = idsIn(chosen.ids).length;
  return (
    <div class="chosen-links" role="group" aria-label="Which links">
      <TagAndDomainFilter tagIds={idsIn(chosen.tag)} domain={chosen.domain ?? ''} onChange={setQuery} />
      {links > 0 && (
        <button
          type="button"
          class="filter-chip"
          onClick={() => setQuery({ ids: null })}
          title="Show all links again"
        >
          {counted(links, 'chosen link')}
          <Icon name="close" size={14} />
          <span class="unseen">Show all links again</span>
        </button>
      )}
    </div>
  );
}
