import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import type { Link } from '../../api-types.ts';
import { call } from '../../client.ts';
import { storeIn } from '../../handlers.ts';
import { say } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Form, Submit } from '../../parts/form.tsx';
import { refresh } from '../../queries.ts';
import { navigate } from '../../router.ts';
import { shortOf } from '../../short.ts';
import { copyOf } from './fields.ts';
import { SecretField } from './secret-field.tsx';

/** Creates a copy and shows its page. */
export async function duplicate(link: Link, password = ''): Promise<void> {
  const made = await call('POST /api/v1/link', { body: copyOf(link, password) });
  refresh('links', 'tags');
  navigate(`/app/links/${made.id}`, { anyway: true });
  say(`This is the copy: ${shortOf(made)}.`);
}

/** A copy of a link with a password needs one of its own: the old one can't be read. */
export function DuplicateDialog({ link, onClose }: { link: Link; onClose: () => void }) {
  const password = useSignal('');
  const making = useAction(async () => {
    await duplicate(link, password.value);
    onClose();
  });
  return (
    <Dialog title="Duplicate link" onClose={onClose}>
      <Form action={making} fields={['password']}>
        <SecretField
          label="Password of the copy"
          autocomplete="new-password"
          hint="Passwords can't be read, so it can't be copied. Without one, anybody can open the copy."
          maxLength={256}
          autoFocus
          value={password.value}
          error={making.error.value?.of('password')}
          onText={storeIn(password)}
        />
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Submit kind="primary">Duplicate link</Submit>
        </div>
      </Form>
    </Dialog>
  );
}
