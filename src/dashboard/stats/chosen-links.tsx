import { useRef } from 'preact/hooks';
import type { Tag } from '../api-types.ts';
import { counted } from '../format.ts';
import { domainFilter, useOwnDomains } from '../own-domains.ts';
import { SelectField } from '../parts/field.tsx';
import { Icon } from '../parts/icons.tsx';
import { TagPicker } from '../parts/tag-picker.tsx';
import { useTagsNamed } from '../parts/tags-named.ts';
import { setQuery } from '../router.ts';
import { type Chosen, idsIn, maxTags } from './chosen.ts';

/** Filters a board by tags, by a domain, or to links chosen in the list. */
export function ChosenLinks({ chosen }: { chosen: Chosen }) {
  const seen = useRef(new Map<number, Tag>());
  const tags = useTagsNamed(idsIn(chosen.tag), seen.current);
  const { own } = useOwnDomains();
  const links = idsIn(chosen.ids).length;
  return (
    <div class="chosen-links" role="group" aria-label="Which links">
      <TagPicker
        label="Filter by tag"
        isLabelUnseen
        placeholder="Any tag"
        canCreate={false}
        value={tags}
        onChange={(some) => {
          const wanted = some.slice(-maxTags);
          for (const tag of wanted) seen.current.set(tag.id, tag);
          setQuery({ tag: wanted.map(({ id }) => id).join(',') || null });
        }}
      />
      {own.length > 0 && (
        <SelectField
          label="Filter by domain"
          isLabelUnseen
          value={chosen.domain ?? ''}
          choices={domainFilter(own)}
          onChoice={(domain) => setQuery({ domain: domain || null })}
        />
      )}
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
