import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import type { Link } from '../../api-types.ts';
import { archiveLinks } from '../../archive-links.ts';
import { counted, number } from '../../format.ts';
import { setTo } from '../../handlers.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import type { Selection } from '../../parts/selection.ts';
import { TagMany, UntagMany } from './tag-many.tsx';
import { exportOf } from './view.ts';

interface SelectionBarProps {
  readonly selection: Selection<Link>;
  /** Whether the archived links are shown, which can be removed from the archive. */
  readonly isArchive: boolean;
  /** How many of the selected links are not on the page that is shown. */
  readonly onOtherPages: number;
  readonly onDelete: (links: readonly Link[]) => void;
}

/** The actions on all selected links. */
export function SelectionBar({ selection, isArchive, onOtherPages, onDelete }: SelectionBarProps) {
  const open = useSignal<'tag' | 'untag' | null>(null);
  const links = [...selection.chosen.values()];
  const close = setTo(open, null);
  const archiving = useAction(async () => {
    if (await archiveLinks(links, !isArchive)) selection.choose(links, false);
  });
  return (
    <div class="selection-bar" role="group" aria-label="Selected links">
      <p>
        {number(links.length)} selected
        {onOtherPages > 0 && <span class="soft small"> ({number(onOtherPages)} on other pages)</span>}
      </p>
      <div class="actions">
        <Button icon="tag" isSlim onClick={setTo(open, 'tag')}>
          Tag
        </Button>
        <Button isSlim onClick={setTo(open, 'untag')}>
          Untag
        </Button>
        <Button icon="archive" isSlim onClick={() => void archiving.run()}>
          {isArchive ? 'Unarchive' : 'Archive'}
        </Button>
        <a class="button slim" href={`/app/stats?ids=${links.map(({ id }) => id)}`}>
          <Icon name="chart" />
          Statistics
        </a>
        <a class="button slim" href={exportOf(links.map(({ id }) => id))} download="links.csv">
          <Icon name="download" />
          Export
        </a>
        <Button
          kind="danger"
          icon="trash"
          isSlim
          aria-label={`Delete ${counted(links.length, 'link')}`}
          onClick={() => onDelete(links)}
        >
          Delete
        </Button>
        <IconButton icon="close" label="Clear the selection" isSlim onClick={selection.clear} />
      </div>
      {open.value === 'tag' && <TagMany links={links} onDone={selection.update} onClose={close} />}
      {open.value === 'untag' && <UntagMany links={links} onDone={selection.update} onClose={close} />}
    </div>
  );
}
