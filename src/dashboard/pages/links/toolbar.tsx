import { useRef } from 'preact/hooks';
import type { Tag } from '../../api-types.ts';
import { useKeys } from '../../keys.ts';
import { domainFilter, useOwnDomains } from '../../own-domains.ts';
import { SelectField } from '../../parts/field.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { TagPicker } from '../../parts/tag-picker.tsx';
import { useTagsNamed } from '../../parts/tags-named.ts';
import { maxQueryLength, maxTags, narrow, orders, type View } from './view.ts';

/** Which links are shown, and in which order. */
export function Toolbar({ view }: { view: View }) {
  const seen = useRef(new Map<number, Tag>());
  const tags = useTagsNamed(view.tagIds, seen.current);
  const { own } = useOwnDomains();
  useKeys([{ key: '/', does: 'Search links', act: () => document.getElementById('search-links')?.focus() }]);
  return (
    <div class="list-toolbar" role="search">
      <SearchField
        id="search-links"
        label="Search addresses, names and notes"
        words={view.words}
        maxLength={maxQueryLength}
        onWords={(words) => narrow({ q: words || null })}
      />
      <TagPicker
        label="Filter by tag"
        isLabelUnseen
        placeholder="Any tag"
        canCreate={false}
        value={tags}
        onChange={(chosen) => {
          const wanted = chosen.slice(-maxTags);
          for (const tag of wanted) seen.current.set(tag.id, tag);
          narrow({ tag: wanted.map(({ id }) => id).join(',') || null });
        }}
      />
      {own.length > 0 && (
        <SelectField
          label="Filter by domain"
          isLabelUnseen
          value={view.domain}
          choices={domainFilter(own)}
          onChoice={(domain) => narrow({ domain: domain || null })}
        />
      )}
      {/* Where there is little room, the mark of such a link leads to it. */}
      <div class={view.isOnPaper || view.hasProblem ? 'state-filter' : 'state-filter on-wide'}>
        <SelectField
          label="Filter by state"
          isLabelUnseen
          value={view.hasProblem ? 'has_problem' : view.isOnPaper ? 'on_paper' : ''}
          choices={[
            { value: '', label: 'Any state' },
            { value: 'on_paper', label: 'On paper' },
            { value: 'has_problem', label: 'Failing destination' },
          ]}
          onChoice={(state) =>
            narrow({
              on_paper: state === 'on_paper' ? 'true' : null,
              has_problem: state === 'has_problem' ? 'true' : null,
            })
          }
        />
      </div>
      <SelectField
        label="Sort"
        isLabelUnseen
        value={view.order}
        choices={orders}
        onChoice={(order) => narrow({ sort: order === orders[0].value ? null : order })}
      />
    </div>
  );
}
