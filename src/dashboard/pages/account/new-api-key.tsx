import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import { call } from '../../client.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SignalField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { refresh } from '../../queries.ts';

/** Asks for a name, then shows the key: this once. */
export function NewApiKey({ onClose }: { onClose: () => void }) {
  const name = useSignal('');
  const made = useSignal<string | null>(null);
  const create = useAction(async () => {
    const answer = await call('POST /api/v1/api_key', { body: { name: name.value } });
    made.value = answer.key;
    refresh('api keys');
  });
  const error = create.error.value;
  if (made.value !== null) {
    return (
      <Dialog title="Your new API key" onClose={onClose} isFirm>
        <p class="soft">Copy it now: it is shown this once. Linnet keeps only a fingerprint of it.</p>
        <p class="secret">
          <code>{made.value}</code>
        </p>
        <div class="actions">
          <CopyButton text={made.value} what="key" />
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Add API Key" onClose={onClose}>
      <Form action={create} fields={['name']} canRetry>
        <SignalField
          label="Name"
          hint="What it is for, so that you know later which one to delete."
          placeholder="Newsletter script"
          required
          autoFocus
          autocomplete="off"
          maxLength={100}
          signal={name}
          error={error?.of('name')}
        />
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={create.isRunning.value}>
            Create API Key
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
