import { useSignal } from '@preact/signals';
import { dayLength } from '../../../rules/durations.ts';
import type { DeletedLink } from '../../api-types.ts';
import { counted, day, instant, number, since } from '../../format.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { LinkHeading } from '../../parts/link-heading.tsx';
import { AllRowsCheckbox, RowCheckbox } from '../../parts/row-checkbox.tsx';
import { moveFocusFrom, stepKeys } from '../../parts/rows.ts';
import { chosenOrFocused, selectionKeys, useSelection } from '../../parts/selection.ts';
import { askBefore } from '../../questions.ts';
import { restoreLinks } from '../../remove-links.ts';
import { shortOf } from '../../short-links.ts';
import { useShortcuts } from '../../shortcuts.ts';
import { deleteForGood, deletionOf, emptyBin } from './bin.ts';

interface DeletedListProps {
  readonly all: readonly DeletedLink[];
  readonly total: number;
  readonly hasOlder: boolean;
  readonly isLoading: boolean;
  readonly onOlder: () => void;
}

export function DeletedList({ all, total, hasOlder, isLoading, onOlder }: DeletedListProps) {
  const selection = useSelection<DeletedLink>();
  /** Deletions whose links are being restored or permanently deleted, and are hidden meanwhile. */
  const hiddenDeletions = useSignal<ReadonlySet<string>>(new Set());
  const links = all.filter((link) => !hiddenDeletions.value.has(deletionOf(link)));
  const chosen = [...selection.chosen.values()];
  /** Hides the links while `act` runs; it returns whether they have left the bin. */
  const hideDuring = async (affected: readonly DeletedLink[], act: () => Promise<boolean>) => {
    moveFocusFrom(new Set(affected.map(({ id }) => id)));
    selection.choose(affected, false);
    const deletions = affected.map(deletionOf);
    hiddenDeletions.value = new Set([...hiddenDeletions.value, ...deletions]);
    if (await act()) return;
    hiddenDeletions.value = new Set([...hiddenDeletions.value].filter((one) => !deletions.includes(one)));
  };
  const restore = (toRestore: readonly DeletedLink[]) =>
    hideDuring(toRestore, () => restoreLinks(toRestore.map(({ id }) => id)));
  useShortcuts([
    ...stepKeys('link'),
    ...selectionKeys(selection, links),
    {
      key: 'b',
      description: 'Restore the selected links',
      act: () => {
        const toRestore = chosenOrFocused(selection, links);
        if (toRestore.length > 0) void restore(toRestore);
      },
    },
  ]);
  return (
    <section class="panel links" aria-label="Deleted links" aria-busy={isLoading}>
      <div class={chosen.length > 0 ? 'links-head choosing' : 'links-head'}>
        <AllRowsCheckbox what="that are shown" rows={links} selection={selection} />
        {chosen.length > 0 ? (
          <div class="selection-bar" role="group" aria-label="Selected links">
            <p>{number(chosen.length)} selected</p>
            <div class="actions">
              <Button kind="primary" icon="undo" isSlim onClick={() => void restore(chosen)}>
                Restore {counted(chosen.length, 'link')}
              </Button>
              <IconButton icon="close" label="Clear the selection" isSlim onClick={selection.clear} />
            </div>
          </div>
        ) : (
          <>
            <p class="soft" role="status">
              {counted(total - (all.length - links.length), 'deleted link')}
            </p>
            <div class="actions">
              <Button isSlim icon="trash" onClick={() => askToEmpty(total)}>
                Empty the bin
              </Button>
            </div>
          </>
        )}
      </div>
      <ul class="link-rows">
        {links.map((link) => (
          <DeletedRow
            key={link.id}
            link={link}
            isChosen={selection.has(link)}
            onToggle={(upToHere) => selection.toggle(link, links, upToHere)}
            onRestore={() => void restore([link])}
            onDeleteForGood={() =>
              askToDelete(link, () => void hideDuring([link], () => deleteForGood(link)))
            }
          />
        ))}
      </ul>
      {hasOlder && (
        <div class="deleted-end">
          <Button isSlim disabled={isLoading} onClick={onOlder}>
            Show older ones
          </Button>
        </div>
      )}
    </section>
  );
}

const lossOf = (what: string): string =>
  `${what} can no longer be restored then. This can't be undone. Clicks stay in your statistics, and no one else gets an address before its 30 days are over.`;

const askToEmpty = (total: number): void =>
  askBefore({
    title: 'Empty the bin?',
    sentence: lossOf(counted(total, 'deleted link')),
    action: 'Empty the bin',
    act: () => void emptyBin(),
  });

const askToDelete = (link: DeletedLink, act: () => void): void =>
  askBefore({
    title: `Delete ${shortOf(link)} for good?`,
    sentence: lossOf('It'),
    action: 'Delete for good',
    act,
  });

interface DeletedRowProps {
  readonly link: DeletedLink;
  readonly isChosen: boolean;
  readonly onToggle: (upToHere: boolean) => void;
  readonly onRestore: () => void;
  readonly onDeleteForGood: () => void;
}

/** Links with less time left than this show how much. */
const soon = 3 * dayLength;

function DeletedRow({ link, isChosen, onToggle, onRestore, onDeleteForGood }: DeletedRowProps) {
  const short = shortOf(link);
  return (
    <li class={isChosen ? 'link-row deleted-row chosen' : 'link-row deleted-row'} data-row={link.id}>
      <RowCheckbox what={short} isChosen={isChosen} onToggle={onToggle} />
      <LinkHeading link={link} />
      <div class="deleted-when small">
        <p title={instant(link.deleted_at)}>Deleted {since(link.deleted_at)}</p>
        {link.suffix_taken_by === undefined ? (
          <KeptUntil at={link.kept_until} />
        ) : (
          <p class="mark warn taken">
            Address used by <a href={`/app/links/${link.suffix_taken_by}`}>another link</a>
          </p>
        )}
      </div>
      <div class="actions">
        <Button isSlim icon="undo" aria-label={`Restore ${short}`} data-row-link onClick={onRestore}>
          Restore
        </Button>
        <IconButton isSlim icon="trash" label={`Delete ${short} for good`} onClick={onDeleteForGood} />
      </div>
    </li>
  );
}

function KeptUntil({ at }: { at: string }) {
  const isSoon = Date.parse(at) - Date.now() < soon;
  return (
    <p class={isSoon ? 'mark warn' : 'soft'} title={instant(at)}>
      {isSoon && <Icon name="clock" size={14} />}
      {isSoon ? `Gone for good ${since(at)}` : `Kept until ${day(at)}`}
    </p>
  );
}
