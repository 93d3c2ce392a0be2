import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Link } from '../../api-types.ts';
import { archiveLinks } from '../../archive-links.ts';
import { call } from '../../client.ts';
import { counted } from '../../format.ts';
import { setTo } from '../../handlers.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Pager } from '../../parts/pager.tsx';
import { QrDialog } from '../../parts/qr-dialog.tsx';
import { AllRowsCheckbox } from '../../parts/row-checkbox.tsx';
import { focusedRow, moveFocusFrom, stepKeys } from '../../parts/rows.ts';
import { chosenOrFocused, type Selection, selectionKeys } from '../../parts/selection.ts';
import { useIsTagGone } from '../../parts/tags-named.ts';
import { useQuery } from '../../queries.ts';
import { removeLinks } from '../../remove-links.ts';
import { navigate } from '../../router.ts';
import { setup } from '../../session.ts';
import { pageOf } from '../../short-links.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { DeletedFilter } from '../../stats/deleted-filter.tsx';
import { Row } from './row.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { exportOfView, isNarrowed, narrow, showAll, showPage, sizes, type View } from './view.ts';

interface ListProps {
  readonly view: View;
  readonly links: readonly Link[];
  readonly total: number;
  /** Whether there are too many links to look for the words in each. */
  readonly isPartial: boolean;
  /** Whether the links are still those of the previous view. */
  readonly isOld: boolean;
  readonly selection: Selection<Link>;
}

export function List({ view, links, total, isPartial, isOld, selection }: ListProps) {
  const qrOf = useSignal<Link | null>(null);
  const head = useRef<HTMLDivElement>(null);
  const remove = (toDelete: readonly Link[]) => {
    moveFocusFrom(new Set(toDelete.map(({ id }) => id)));
    selection.choose(toDelete, false);
    void removeLinks(toDelete);
  };
  const archive = async (link: Link) => {
    // It leaves the list, so that it could no longer be seen among those selected.
    if (await archiveLinks([link], !link.archived)) selection.choose([link], false);
  };
  const openFocused = () => {
    const link = focusedRow(links);
    if (link) navigate(pageOf(link));
  };
  useShortcuts([
    ...stepKeys('link'),
    { key: 'Enter', description: 'Open the link', act: openFocused },
    { key: 'e', description: 'Edit the link', act: openFocused },
    ...selectionKeys(selection, links),
    {
      key: 'Delete',
      description: 'Delete the selected links',
      act: () => remove(chosenOrFocused(selection, links)),
    },
  ]);
  const goTo = (page: number) => {
    showPage(page, view, links);
    head.current?.scrollIntoView({ block: 'nearest' });
  };
  const selectedOnPage = links.filter((link) => selection.has(link)).length;
  return (
    <section class="panel links" aria-label="Links" aria-busy={isOld}>
      <div class={selection.chosen.size > 0 ? 'links-head choosing' : 'links-head'} ref={head}>
        <AllRowsCheckbox what="on this page" rows={links} selection={selection} />
        {selection.chosen.size > 0 ? (
          <SelectionBar
            isArchive={view.isArchive}
            selection={selection}
            onOtherPages={selection.chosen.size - selectedOnPage}
            onDelete={remove}
          />
        ) : (
          <>
            <p class="soft" role="status">
              {counted(total, view.isArchive ? 'archived link' : 'link')}
            </p>
            <div class="links-head-ways">
              {view.isArchive ? (
                <a class="button plain slim" href="/app">
                  <Icon name="left" size={16} />
                  Links in use
                </a>
              ) : (
                <a class="button plain slim" href="/app?archived=true" aria-label="Archived links">
                  <Icon name="archive" size={16} />
                  <span>
                    Archived<span class="on-wide"> links</span>
                  </span>
                </a>
              )}
              <a class="button plain slim" href="/app/links/deleted" aria-label="Deleted links">
                <Icon name="trash" size={16} />
                <span>
                  Deleted<span class="on-wide"> links</span>
                </span>
              </a>
              <a
                class="button plain slim"
                href={exportOfView(view)}
                download="links.csv"
                aria-label="Export as CSV"
              >
                <Icon name="download" size={16} />
                <span>
                  Export<span class="on-wide"> as CSV</span>
                </span>
              </a>
            </div>
          </>
        )}
      </div>
      {isPartial && links.length > 0 && <p class="search-reach soft small">{searchReach}</p>}
      {links.length === 0 ? (
        <NothingFound view={view} total={total} isPartial={isPartial} />
      ) : (
        <ul class="link-rows">
          {links.map((link) => (
            <Row
              key={link.id}
              link={link}
              isChosen={selection.has(link)}
              onToggle={(upToHere) => selection.toggle(link, links, upToHere)}
              onQr={setTo(qrOf, link)}
              onArchive={() => void archive(link)}
              onDelete={() => remove([link])}
            />
          ))}
        </ul>
      )}
      {total > sizes[0] && (
        <Pager
          page={view.page}
          size={view.size}
          total={total}
          sizes={sizes}
          onPage={goTo}
          onSize={(size) => narrow({ size: size === sizes[0] ? null : String(size) })}
        />
      )}
      {qrOf.value && <QrDialog link={qrOf.value} onClose={setTo(qrOf, null)} />}
    </section>
  );
}

const searchReach =
  'There are too many links to search them all: the newest 10,000 are searched, and of the others those are found whose name, suffix or destination begins with these words. Filter by a tag or a domain to search fewer.';

/** The filter of the page's address that names what no longer exists, as from a bookmark. */
function useDeletedFilter({ tagIds, domain }: View): 'tag' | 'domain' | null {
  const isTagGone = useIsTagGone(tagIds);
  const domains = useQuery('domains', () => call('GET /api/v1/domain')).data.value;
  if (isTagGone) return 'tag';
  if (domain === '' || domain === setup.value?.default_domain || !domains) return null;
  return domains.some((one) => [one.domain, one.domain_unicode].includes(domain)) ? null : 'domain';
}

function NothingFound({ view, total, isPartial }: Pick<ListProps, 'view' | 'total' | 'isPartial'>) {
  const deleted = useDeletedFilter(view);
  // All links of this page were deleted, and the next ones are being loaded.
  if (view.page === 1 && total > 0) return null;
  if (deleted !== null) return <DeletedFilter parameter={deleted} />;
  if (view.page > 1) {
    return (
      <Empty title="Nothing is on this page">
        <p>There are fewer links than that.</p>
        <Button onClick={() => showPage(1, view, [])}>Show the first page</Button>
      </Empty>
    );
  }
  if (view.isArchive && !isNarrowed(view)) {
    return (
      <Empty title="Nothing is archived">
        <p>An archived link still works, but isn't in the list. "Archive link" is in its menu.</p>
        <a class="button" href="/app">
          Show the links in use
        </a>
      </Empty>
    );
  }
  return (
    <Empty title={view.isArchive ? 'No archived link matches' : 'No link matches'}>
      <p>{isPartial ? searchReach : 'Search looks at names, suffixes, destinations and notes.'}</p>
      <Button onClick={showAll}>Show all links</Button>
    </Empty>
  );
}
