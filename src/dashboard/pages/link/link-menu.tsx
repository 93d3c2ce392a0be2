import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import type { Link } from '../../api-types.ts';
import { archiveLinks } from '../../archive-links.ts';
import { type CreateOnce, useCreateOnce } from '../../create-once.ts';
import { setTo, storeIn } from '../../handlers.ts';
import { notify, notifyError } from '../../notices.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { CancelAndSubmit, Form } from '../../parts/form.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Menu, MenuItem } from '../../parts/menu.tsx';
import { refresh } from '../../queries.ts';
import { removeLinks } from '../../remove-links.ts';
import { isOn, leaveBy, navigate } from '../../router.ts';
import { pageOf, shortOf } from '../../short-links.ts';
import { copyOf } from './fields.ts';
import { SecretField } from './secret-field.tsx';

export function LinkMenu({ link }: { link: Link }) {
  const isDuplicating = useSignal(false);
  const createOnce = useCreateOnce();
  const remove = async () => {
    if ((await removeLinks([link])) && isOn(pageOf(link))) navigate('/app', { force: true });
  };
  const copy = () => {
    if (link.has_password) isDuplicating.value = true;
    else void duplicate(createOnce, link).catch((cause) => notifyError(cause));
  };
  return (
    <>
      {/* Duplicating and deleting leave this page, so its unsaved changes would be lost. */}
      <Menu label="More actions" button={<Icon name="more" />} class="button icon">
        <MenuItem icon="copy" label="Duplicate link" onClick={() => leaveBy(copy)} />
        <MenuItem
          icon="archive"
          label={link.archived ? 'Take out of the archive' : 'Archive link'}
          onClick={() => void archiveLinks([link], !link.archived)}
        />
        <hr />
        <MenuItem icon="trash" label="Delete link" isDanger onClick={() => leaveBy(() => void remove())} />
      </Menu>
      {isDuplicating.value && (
        <DuplicateDialog link={link} createOnce={createOnce} onClose={setTo(isDuplicating, false)} />
      )}
    </>
  );
}

/** Creates a copy, and shows its page unless the user has gone on to another one. */
async function duplicate(createOnce: CreateOnce, link: Link, password = ''): Promise<void> {
  const created = await createOnce('POST /api/v1/link', { body: copyOf(link, password) });
  refresh('links', 'tags');
  const show = (options = {}) => navigate(pageOf(created), options);
  if (isOn(pageOf(link))) {
    show({ force: true });
    notify(`This is the copy: ${shortOf(created)}.`);
  } else notify(`Copied as ${shortOf(created)}.`, { action: { label: 'Show link', act: () => show() } });
}

interface DuplicateDialogProps {
  readonly link: Link;
  readonly createOnce: CreateOnce;
  readonly onClose: () => void;
}

/** The copy of a link with a password needs a password of its own: the old one can't be read. */
function DuplicateDialog({ link, createOnce, onClose }: DuplicateDialogProps) {
  const password = useSignal('');
  const duplicating = useAction(async () => {
    await duplicate(createOnce, link, password.value);
    onClose();
  });
  return (
    <Dialog title="Duplicate link" onClose={onClose}>
      <Form action={duplicating} fields={['password']}>
        <SecretField
          label="Password of the copy"
          autocomplete="new-password"
          hint="Passwords can't be read, so it can't be copied. Without one, anyone can open the copy."
          maxLength={256}
          autoFocus
          value={password.value}
          error={duplicating.error.value?.sentenceFor('password')}
          onText={storeIn(password)}
        />
        <CancelAndSubmit verb="Duplicate link" onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
