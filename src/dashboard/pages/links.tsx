import { call } from '../client.ts';
import { counted } from '../format.ts';
import { useOwnDomains } from '../own-domains.ts';
import { Empty } from '../parts/empty.tsx';
import { ErrorBox } from '../parts/error-box.tsx';
import { Page } from '../parts/page.tsx';
import { useQuery } from '../queries.ts';
import { removedIds } from '../remove-links.ts';
import { search } from '../router.ts';
import { usePrevious } from '../use-previous.ts';
import { List } from './links/list.tsx';
import { NewLink } from './links/new-link.tsx';
import { Toolbar } from './links/toolbar.tsx';
import { useAutoReload } from './links/use-auto-reload.ts';
import { useKeptSelection } from './links/use-kept-selection.ts';
import { filtersOf, isNarrowed, keyOf, linksOf, type View, viewOf } from './links/view.ts';

/** The home page: the field that creates links, and the list of all links below it. */
export function LinksPage() {
  const view = viewOf(search.value);
  const { list, isOld, query } = useLinks(view);
  const selection = useKeptSelection(JSON.stringify(filtersOf(view)), query.data.value?.links);
  useAutoReload((id) => list?.links.some((link) => link.id === id) ?? false);
  const isEmpty = list?.total === 0 && !isOld && !isNarrowed(view) && !view.isArchive && view.page === 1;
  const error = query.error.value;
  // With own domains the toolbar has one more field, so it is shown once they have loaded: otherwise it would jump.
  const { areLoaded } = useOwnDomains();
  const isListLoaded = areLoaded && list !== undefined;
  return (
    <Page title="Links" isTitleUnseen>
      <div class="stack links-page">
        <NewLink isFirst={isEmpty} />
        <ErrorBox error={error} onRetry={() => void query.reload()} />
        {isEmpty ? (
          <Empty title="Your first link is one paste away">
            <p>Paste a long URL above and press Enter. The short link is copied at once.</p>
            <ArchivedHint />
            <DeletedHint />
          </Empty>
        ) : (
          <div class={isListLoaded ? 'stack tight' : 'stack tight coming'}>
            <Toolbar view={view} />
            {isListLoaded ? (
              <List view={view} {...list} isOld={isOld} selection={selection} />
            ) : (
              !error && <div class="panel links" style={{ height: '640px' }} aria-busy="true" />
            )}
          </div>
        )}
      </div>
    </Page>
  );
}

/** The links of a view; those of the previous view while they load, so that nothing jumps. */
function useLinks(view: View) {
  const query = useQuery(keyOf(view), () => linksOf(view));
  const { data: known, isOld } = usePrevious(query, { evenAfterError: true });
  const links = known?.links.filter(({ id }) => !removedIds.value.has(id));
  return {
    query,
    isOld,
    list: known &&
      links && {
        links,
        total: known.total_links - (known.links.length - links.length),
        isPartial: known.partial ?? false,
      },
  };
}

/** Leads to the archived links; shown if there are no other links. */
function ArchivedHint() {
  const query = useQuery('links archived, how many', () =>
    call('GET /api/v1/link', { query: { archived: 'true', limit: 1 } }),
  );
  const total = query.data.value?.total_links ?? 0;
  if (total === 0) return null;
  return (
    <p>
      <a href="/app?archived=true">{counted(total, 'archived link')}</a> {total === 1 ? 'goes' : 'go'} on
      working.
    </p>
  );
}

/** Leads to the deleted links; shown if there are no other links. */
function DeletedHint() {
  const query = useQuery('links deleted, how many', () =>
    call('GET /api/v1/link/deleted', { query: { limit: 1 } }),
  );
  const total = query.data.value?.total_links ?? 0;
  if (total === 0) return null;
  return (
    <p>
      <a href="/app/links/deleted">{counted(total, 'deleted link')}</a> can still be restored.
    </p>
  );
}
