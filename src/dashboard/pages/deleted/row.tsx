import type { DeletedLink } from '../../api-types.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Icon } from '../../parts/icons.tsx';
import { LinkHeading } from '../../parts/link-heading.tsx';
import { Pick } from '../../parts/pick.tsx';
import { shortOf } from '../../short.ts';
import { day, instant, since } from '../../words.ts';

interface DeletedRowProps {
  readonly link: DeletedLink;
  readonly isChosen: boolean;
  readonly onToggle: (upToHere: boolean) => void;
  readonly onBringBack: () => void;
  readonly onDeleteForGood: () => void;
}

/** With less time than this left it is said how much. */
const soon = 3 * 24 * 60 * 60 * 1000;

export function DeletedRow({ link, isChosen, onToggle, onBringBack, onDeleteForGood }: DeletedRowProps) {
  const short = shortOf(link);
  return (
    <li class={isChosen ? 'link-row deleted-row chosen' : 'link-row deleted-row'} data-row={link.id}>
      <Pick what={short} isChosen={isChosen} onToggle={onToggle} />
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
        <Button isSlim icon="undo" aria-label={`Bring back ${short}`} data-row-link onClick={onBringBack}>
          Bring back
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
