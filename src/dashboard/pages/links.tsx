import { useEffect, useRef } from 'preact/hooks';
import type { Link } from '../api-types.ts';
import { useOwnDomains } from '../own-domains.ts';
import { Empty } from '../parts/empty.tsx';
import { ErrorBox } from '../parts/error-box.tsx';
import { Page } from '../parts/page.tsx';
import { useSelection } from '../parts/selection.ts';
import { useQuery } from '../queries.ts';
import { removed } from '../remove-links.ts';
import { search } from '../router.ts';
import { DeletedHint } from './links/deleted-hint.tsx';
import { List } from './links/list.tsx';
import { NewLink } from './links/new-link.tsx';
import { Toolbar } from './links/toolbar.tsx';
import { useFresh } from './links/use-fresh.ts';
import { isNarrowed, keyOf, linksOf, type View, viewOf } from './links/view.ts';

/** The home: the field that makes a link, and all links below it. */
export function LinksPage() {
  const view = viewOf(search.value);
  const { list, isOld, query } = useLinks(view);
  const selection = useSelection<Link>();
  const narrowing = `${view.words}|${view.tagIds}|${view.domain}`;
  useEffect(() => selection.clear(), [narrowing]);
  useFresh((id) => list?.links.some((link) => link.id === id) ?? false);
  const isEmpty = list?.total === 0 && !isOld && !isNarrowed(view) && view.page === 1;
  const error = query.error.value;
  // The toolbar has a place more where there are own domains: it comes when that is known, and doesn't jump.
  const { areKnown } = useOwnDomains();
  const isThere = areKnown && list !== undefined;
  return (
    <Page title="Links" isTitleUnseen>
      <div class="stack links-page">
        <NewLink isFirst={isEmpty} />
        {error && <ErrorBox error={error} onRetry={() => void query.reload()} />}
        {isEmpty ? (
          <Empty title="Your first link is one paste away">
            <p>Paste a long URL above and press Enter. The short link is copied at once.</p>
            <DeletedHint />
          </Empty>
        ) : (
          <div class={isThere ? 'list-below' : 'list-below coming'}>
            <Toolbar view={view} />
            {isThere ? (
              <List view={view} links={list.links} total={list.total} isOld={isOld} selection={selection} />
            ) : (
              !error && <div class="panel links" style={{ height: '640px' }} aria-busy="true" />
            )}
          </div>
        )}
      </div>
    </Page>
  );
}

/** The links of a view, and those of the view before for as long as it isn't there: nothing jumps. */
function useLinks(view: View) {
  const query = useQuery(keyOf(view), () => linksOf(view));
  const before = useRef(query.data.value);
  const fresh = query.data.value;
  if (fresh) before.current = fresh;
  const known = fresh ?? before.current;
  const links = known?.links.filter(({ id }) => !removed.value.has(id));
  return {
    query,
    isOld: fresh === undefined,
    list: known && links && { links, total: known.total_links - (known.links.length - links.length) },
  };
}
