import { useSignal } from '@preact/signals';
import type { Link } from '../../api-types.ts';
import { say } from '../../notices.ts';
import { Icon } from '../../parts/icons.tsx';
import { Menu } from '../../parts/menu.tsx';
import { pendingMove } from '../../router.ts';
import { asTrouble } from '../../trouble.ts';
import { deleteLink } from './delete-link.ts';
import { DuplicateDialog, duplicate } from './duplicate.tsx';

const sayTrouble = (cause: unknown) => say(asTrouble(cause).message, { isTrouble: true });

export function LinkMenu({ link, loss }: { link: Link; loss: string | null }) {
  const isDuplicating = useSignal(false);
  const remove = () => void deleteLink(link).catch(sayTrouble);
  return (
    <>
      <Menu label="More actions" button={<Icon name="more" />} class="button icon">
        <button
          type="button"
          onClick={() => {
            if (link.has_password) isDuplicating.value = true;
            else void duplicate(link).catch(sayTrouble);
          }}
        >
          <Icon name="copy" />
          Duplicate link
        </button>
        <hr />
        <button
          type="button"
          class="danger"
          onClick={() => {
            // The link comes back by Undo; what is typed and not saved doesn't.
            if (loss === null) remove();
            else pendingMove.value = { sentence: loss, go: remove };
          }}
        >
          <Icon name="trash" />
          Delete link
        </button>
      </Menu>
      {isDuplicating.value && (
        <DuplicateDialog
          link={link}
          onClose={() => {
            isDuplicating.value = false;
          }}
        />
      )}
    </>
  );
}
