import { useAction } from '../../../action.ts';
import type { Link, LinkHistoryEntry } from '../../../api-types.ts';
import { call } from '../../../client.ts';
import { instant } from '../../../format.ts';
import { notify, notifyError } from '../../../notices.ts';
import { confirmingPrint, isOnPaper } from '../../../on-paper.ts';
import { Button } from '../../../parts/button.tsx';
import { ErrorBox } from '../../../parts/error-box.tsx';
import { Skeleton } from '../../../parts/page.tsx';
import { Panel } from '../../../parts/section.tsx';
import { refresh } from '../../../queries.ts';
import { usePages } from '../../../use-pages.ts';
import { usePrevious } from '../../../use-previous.ts';
import { Entry } from './entry.tsx';

const perPage = 25;

/** The changes of a link, newest first, with a way to restore any of its states. */
export function History({ link, onRestored }: { link: Link; onRestored: (link: Link) => void }) {
  const { count, query, showMore } = usePages(`link history ${link.id}`, (cursor) =>
    call('GET /api/v1/link/{id}/history', { params: { id: link.id }, query: { limit: perPage, cursor } }),
  );
  const { data: pages } = usePrevious(query, { evenAfterError: true });
  const entries = pages?.flatMap(({ history }) => history) ?? [];
  const newest = entries[0] ?? null;
  const current = entries.findIndex((entry) => isState(entry) || entry.changes.length > 0);
  const error = query.error.value;
  const restoring = useAction(async (entry: LinkHistoryEntry) => {
    try {
      await restoreEntry(link, entry, newest, onRestored);
    } catch (cause) {
      if (!isOnPaper(cause)) notifyError(cause);
    }
    await refresh('links', 'link ', 'tags', 'utm values');
    count.value = 1;
  });
  return (
    <Panel
      title="History"
      about='Every change of the link. "Back to this" gives it the settings and tags that it had then; its secrets stay as they are.'
      class="link-history"
      isFlush
    >
      <ErrorBox error={error} onRetry={() => void query.reload()} />
      {!pages && !error && <Skeleton height={320} />}
      <ul>
        {entries.map((entry, index) => (
          <Entry
            key={entry.id}
            entry={entry}
            isRunning={restoring.isRunning.value}
            onRestore={index > current && isState(entry) ? () => void restoring.run(entry) : undefined}
          />
        ))}
      </ul>
      {pages?.at(-1)?.next && (
        <p class="history-more">
          <Button disabled={query.isLoading.value} onClick={showMore}>
            Show earlier changes
          </Button>
        </p>
      )}
    </Panel>
  );
}

/** Deleting a link and restoring it leaves its settings unchanged, unless it has lost an address or its external id meanwhile. */
const isState = ({ action }: LinkHistoryEntry): boolean => action === 'created' || action === 'changed';

/** Restores the state of an entry. Offers to undo this by restoring the entry that was the newest before. */
async function restoreEntry(
  link: Link,
  { id, at }: LinkHistoryEntry,
  newest: LinkHistoryEntry | null,
  onRestored: (link: Link) => void,
): Promise<void> {
  const now = await confirmingPrint((confirm) =>
    call('POST /api/v1/link/{id}/history/restore', {
      params: { id: link.id },
      query: { confirm },
      body: { entry: id },
      headers: { 'if-match': `"${link.updated_at}"` },
    }),
  );
  onRestored(now);
  const undo = async () => {
    if (newest) await restoreEntry(now, newest, null, onRestored).catch((cause) => notifyError(cause));
    await refresh('links', 'link ', 'tags', 'utm values');
  };
  notify(`The link is as it was on ${instant(at)}.`, { undo: newest ? () => void undo() : undefined });
}
