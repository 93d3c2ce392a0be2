import { call } from '../client.ts';
import { Empty } from '../parts/empty.tsx';
import { ErrorBox } from '../parts/error-box.tsx';
import { Page } from '../parts/page.tsx';
import { usePages } from '../use-pages.ts';
import { usePrevious } from '../use-previous.ts';
import { DeletedList } from './deleted/list.tsx';

/** The maximum of the API. */
const perPage = 100;

/** The deleted links that can still be restored. */
export function DeletedPage() {
  const { query, showMore } = usePages('links deleted', (cursor) =>
    call('GET /api/v1/link/deleted', { query: { limit: perPage, cursor } }),
  );
  const { data: pages = [] } = usePrevious(query, { evenAfterError: true });
  const last = pages.at(-1);
  const error = query.error.value;
  return (
    <>
      <p class="back soft small">
        <a href="/app">Links</a>
      </p>
      <Page
        title="Deleted links"
        about="They don't work, and are kept for 30 days with their suffix, tags and statistics."
      >
        <div class="stack">
          <ErrorBox error={error} onRetry={() => void query.reload()} />
          {last?.total_links === 0 ? (
            <Empty title="Nothing to restore">
              <p>A link that you delete is kept here for 30 days. Until then it can be restored unchanged.</p>
              <a class="button" href="/app">
                Show all links
              </a>
            </Empty>
          ) : last ? (
            <DeletedList
              all={pages.flatMap(({ links }) => links)}
              total={last.total_links}
              hasOlder={last.next !== null}
              isLoading={query.isLoading.value}
              onOlder={showMore}
            />
          ) : (
            !error && <div class="panel links skeleton" style={{ height: '480px' }} aria-busy="true" />
          )}
        </div>
      </Page>
    </>
  );
}
