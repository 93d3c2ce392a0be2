import { useSignal } from '@preact/signals';
import type { Link } from '../../api-types.ts';
import { setTo } from '../../handlers.ts';
import { sayError } from '../../notices.ts';
import { Icon } from '../../parts/icons.tsx';
import { Menu } from '../../parts/menu.tsx';
import { removeLinks } from '../../remove-links.ts';
import { navigate, pendingMove } from '../../router.ts';
import { DuplicateDialog, duplicate } from './duplicate.tsx';

export function LinkMenu({ link, loss }: { link: Link; loss: string | null }) {
  const isDuplicating = useSignal(false);
  const remove = async () => {
    if (await removeLinks([link])) navigate('/app', { anyway: true });
  };
  const copy = () => {
    if (link.has_password) isDuplicating.value = true;
    else void duplicate(link).catch((cause) => sayError(cause));
  };
  // Both leave this page, and lose its unsaved changes.
  const guarded = (go: () => void) => {
    if (loss === null) go();
    else pendingMove.value = { sentence: loss, go };
  };
  return (
    <>
      <Menu label="More actions" button={<Icon name="more" />} class="button icon">
        <button type="button" onClick={() => guarded(copy)}>
          <Icon name="copy" />
          Duplicate link
        </button>
        <hr />
        <button type="button" class="danger" onClick={() => guarded(() => void remove())}>
          <Icon name="trash" />
          Delete link
        </button>
      </Menu>
      {isDuplicating.value && <DuplicateDialog link={link} onClose={setTo(isDuplicating, false)} />}
    </>
  );
}
