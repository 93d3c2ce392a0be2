import { useSignal } from '@preact/signals';
import { Empty } from '../parts/empty.tsx';
import { ErrorBox } from '../parts/error-box.tsx';
import { Page } from '../parts/page.tsx';
import { useQuery } from '../queries.ts';
import { usePrevious } from '../use-previous.ts';
import { keyOf, loadBin } from './deleted/bin.ts';
import { DeletedList } from './deleted/list.tsx';

/** The deleted links that can still be restored. */
export function DeletedPage() {
  const pages = useSignal(1);
  const query = useQuery(keyOf(pages.value), () => loadBin(pages.value));
  const { data: bin } = usePrevious(query, { evenAfterError: true });
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
          {error && <ErrorBox error={error} onRetry={() => void query.reload()} />}
          {bin?.total === 0 ? (
            <Empty title="Nothing to restore">
              <p>A link that you delete is kept here for 30 days. Until then it can be restored unchanged.</p>
              <a class="button" href="/app">
                Show all links
              </a>
            </Empty>
          ) : bin ? (
            <DeletedList
              bin={bin}
              isLoading={query.isLoading.value}
              onOlder={() => {
                pages.value += 1;
              }}
            />
          ) : (
            !error && <div class="panel links skeleton" style={{ height: '480px' }} aria-busy="true" />
          )}
        </div>
      </Page>
    </>
  );
}
