import { SelectField } from '../../parts/field.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { TagAndDomainFilter } from '../../parts/tag-and-domain-filter.tsx';
import { useShortcuts } from '../../shortcuts.ts';
import { narrow, orders, type View } from './view.ts';

/** Which links are shown, and in which order. */
export function Toolbar({ view }: { view: View }) {
  useShortcuts([
    { key: '/', description: 'Search links', act: () => document.getElementById('search-links')?.focus() },
  ]);
  return (
    <div class="list-toolbar" role="search">
      <SearchField
        id="search-links"
        label="Search addresses, names and notes"
        words={view.words}
        onWords={(words) => narrow({ q: words || null })}
      />
      <TagAndDomainFilter tagIds={view.tagIds} domain={view.domain} onChange={narrow} />
      {/* On narrow screens it is only shown while it is set, by the mark of such a link. */}
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
