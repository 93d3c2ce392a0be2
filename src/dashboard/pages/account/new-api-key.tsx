import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import { call } from '../../client.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Form, FormField, Submit } from '../../parts/form.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { refresh } from '../../queries.ts';

/** Asks for a name, then shows the key once. */
export function NewApiKey({ onClose }: { onClose: () => void }) {
  const name = useSignal('');
  const made = useSignal<string | null>(null);
  const create = useAction(async () => {
    const answer = await call('POST /api/v1/api_key', { body: { name: name.value } });
    made.value = answer.key;
    refresh('api keys');
  });
  if (made.value !== null) {
    return (
      <ShownOnce
        title="Your new API key"
        about="Copy it now: it is shown this once. Linnet keeps only a fingerprint of it."
        secret={made.value}
        what="key"
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title="Add API Key" onClose={onClose}>
      <Form action={create} fields={['name']} canRetry>
        <FormField
          field="name"
          label="Name"
          hint="What it is for, so that you know later which one to delete."
          placeholder="Newsletter script"
          required
          autoFocus
          autocomplete="off"
          maxLength={100}
          signal={name}
        />
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Submit kind="primary">Create API Key</Submit>
        </div>
      </Form>
    </Dialog>
  );
}
