import { useSignal } from '@preact/signals';
import type { DeletedLink } from '../../api-types.ts';
import { deleteForGood, emptyBin } from '../../delete-for-good.ts';
import { useKeys } from '../../keys.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { PickAll } from '../../parts/pick.tsx';
import { leaveRows, rowAt, step } from '../../parts/rows.ts';
import { useSelection } from '../../parts/selection.ts';
import { restoreLinks } from '../../restore-links.ts';
import { counted, number } from '../../words.ts';
import { type Bin, deletionOf } from './bin.ts';
import { ConfirmForGood } from './for-good.tsx';
import { DeletedRow } from './row.tsx';

interface DeletedListProps {
  readonly bin: Bin;
  readonly isReading: boolean;
  readonly onOlder: () => void;
}

export function DeletedList({ bin, isReading, onOlder }: DeletedListProps) {
  const selection = useSelection<DeletedLink>();
  /** On their way back: gone from here at once to the eye. */
  const leaving = useSignal<ReadonlySet<string>>(new Set());
  const links = bin.links.filter((link) => !leaving.value.has(deletionOf(link)));
  const chosen = [...selection.chosen.values()];
  const focused = () => links.find(({ id }) => id === rowAt());
  const toggle = (link: DeletedLink | undefined, upToHere = false) => {
    if (link) selection.toggle(link, links, upToHere);
  };
  /** The links whose final deletion is being confirmed. */
  const doomed = useSignal<DeletedLink | 'all' | null>(null);
  /** `act` says whether they are gone from here. */
  const takeAway = async (wanted: readonly DeletedLink[], act: () => Promise<boolean>) => {
    leaveRows(new Set(wanted.map(({ id }) => id)));
    selection.choose(wanted, false);
    const deletions = wanted.map(deletionOf);
    leaving.value = new Set([...leaving.value, ...deletions]);
    if (await act()) return;
    leaving.value = new Set([...leaving.value].filter((one) => !deletions.includes(one)));
  };
  const bringBack = (wanted: readonly DeletedLink[]) =>
    takeAway(wanted, () => restoreLinks(wanted.map(({ id }) => id)));
  const confirm = (what: DeletedLink | 'all') => {
    doomed.value = null;
    if (what === 'all') void emptyBin();
    else void takeAway([what], () => deleteForGood(what));
  };
  useKeys([
    { key: 'j', does: 'Next link', act: () => step(1) },
    { key: 'k', does: 'Previous link', act: () => step(-1) },
    { key: 'x', does: 'Select the link', act: () => toggle(focused()) },
    { key: 'X', does: 'Select all links up to this one', act: () => toggle(focused(), true) },
    { key: 'Escape', does: 'Clear the selection', act: () => selection.clear() },
    {
      key: 'b',
      does: 'Bring the selected links back',
      act: () => {
        const one = focused();
        if (selection.chosen.size > 0) void bringBack([...selection.chosen.values()]);
        else if (one) void bringBack([one]);
      },
    },
  ]);
  return (
    <section class="panel links" aria-label="Deleted links" aria-busy={isReading}>
      <div class={chosen.length > 0 ? 'links-head choosing' : 'links-head'}>
        <PickAll what="that are shown" of={links} selection={selection} />
        {chosen.length > 0 ? (
          <div class="selection-bar" role="group" aria-label="Selected links">
            <p>{number(chosen.length)} selected</p>
            <div class="actions">
              <Button kind="primary" icon="undo" isSlim onClick={() => void bringBack(chosen)}>
                Bring back {counted(chosen.length, 'link')}
              </Button>
              <IconButton icon="close" label="Clear the selection" isSlim onClick={selection.clear} />
            </div>
          </div>
        ) : (
          <>
            <p class="soft" role="status">
              {counted(bin.total - (bin.links.length - links.length), 'deleted link')}
            </p>
            <div class="actions">
              <Button
                isSlim
                icon="trash"
                onClick={() => {
                  doomed.value = 'all';
                }}
              >
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
            onToggle={(upToHere) => toggle(link, upToHere)}
            onBringBack={() => void bringBack([link])}
            onDeleteForGood={() => {
              doomed.value = link;
            }}
          />
        ))}
      </ul>
      {doomed.value && (
        <ConfirmForGood
          what={doomed.value}
          total={bin.total}
          onYes={() => doomed.value && confirm(doomed.value)}
          onNo={() => {
            doomed.value = null;
          }}
        />
      )}
      {bin.hasOlder && (
        <div class="deleted-end">
          <Button isSlim disabled={isReading} onClick={onOlder}>
            Show older ones
          </Button>
        </div>
      )}
    </section>
  );
}
