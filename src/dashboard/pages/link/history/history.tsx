import { useSignal } from '@preact/signals';
import { useAction } from '../../../action.ts';
import type { Link, LinkHistory, LinkHistoryEntry } from '../../../api-types.ts';
import { call } from '../../../client.ts';
import { instant } from '../../../format.ts';
import { notify, notifyError } from '../../../notices.ts';
import { confirmingPrint, isOnPaper } from '../../../on-paper.ts';
import { Button } from '../../../parts/button.tsx';
import { Loaded } from '../../../parts/page.tsx';
import { Panel } from '../../../parts/section.tsx';
import { refresh, useQuery } from '../../../queries.ts';
import { Entry } from './entry.tsx';

const perPage = 25;

/** The changes of a link, newest first, with a way to restore any of its states. */
export function History({ link, onRestored }: { link: Link; onRestored: (link: Link) => void }) {
  const cursors = useSignal<readonly string[]>([]);
  const newest = usePageOf(link, '').data.value?.history[0] ?? null;
  const restoring = useAction(async (entry: LinkHistoryEntry) => {
    try {
      await restoreEntry(link, entry, newest, onRestored);
    } catch (cause) {
      if (!isOnPaper(cause)) notifyError(cause);
    }
    await refresh('links', 'link ', 'tags');
    cursors.value = [];
  });
  const restore = (entry: LinkHistoryEntry) => void restoring.run(entry);
  const pages = ['', ...cursors.value];
  return (
    <Panel
      title="History"
      about='Every change of the link. "Back to this" gives it the settings and tags that it had then; its secrets stay as they are.'
      class="link-history"
      isFlush
    >
      {pages.map((cursor, index) => (
        <HistoryPage
          key={cursor}
          link={link}
          cursor={cursor}
          isRunning={restoring.isRunning.value}
          onRestore={restore}
          onMore={
            index === pages.length - 1
              ? (next) => {
                  cursors.value = [...cursors.value, next];
                }
              : undefined
          }
        />
      ))}
    </Panel>
  );
}

/** The cursor of the first page is empty. */
const usePageOf = ({ id }: Link, cursor: string) =>
  useQuery<LinkHistory>(`link history ${id} ${cursor}`, () =>
    call('GET /api/v1/link/{id}/history', {
      params: { id },
      query: { limit: perPage, cursor: cursor || undefined },
    }),
  );

interface HistoryPageProps {
  readonly link: Link;
  /** Empty for the first page. */
  readonly cursor: string;
  readonly isRunning: boolean;
  readonly onRestore: (entry: LinkHistoryEntry) => void;
  readonly onMore: ((cursor: string) => void) | undefined;
}

function HistoryPage({ link, cursor, isRunning, onRestore, onMore }: HistoryPageProps) {
  const query = usePageOf(link, cursor);
  return (
    <Loaded query={query} height={cursor === '' ? 320 : 80}>
      {({ history, next }) => {
        const current = cursor === '' ? history.findIndex(isState) : -1;
        return (
          <>
            <ul>
              {history.map((entry, index) => (
                <Entry
                  key={entry.id}
                  entry={entry}
                  isRunning={isRunning}
                  onRestore={index > current && isState(entry) ? () => onRestore(entry) : undefined}
                />
              ))}
            </ul>
            {next && onMore && (
              <p class="history-more">
                <Button onClick={() => onMore(next)}>Show earlier changes</Button>
              </p>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

/** Deleting and restoring a link leaves its settings unchanged. */
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
    await refresh('links', 'link ', 'tags');
  };
  notify(`The link is as it was on ${instant(at)}.`, {
    ...(newest && { action: { label: 'Undo', act: () => void undo() } }),
  });
}
