import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import { call } from '../../client.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { TroubleBesides } from '../../parts/trouble.tsx';
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
  const trouble = create.trouble.value;
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
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <TroubleBesides trouble={trouble} fields={['name']} onRetry={() => void create.run()} />
        <TextField
          label="Name"
          hint="What it is for, so that you know later which one to delete."
          placeholder="Newsletter script"
          required
          autoFocus
          autocomplete="off"
          maxLength={100}
          value={name.value}
          error={trouble?.of('name')}
          onText={(text) => {
            name.value = text;
          }}
        />
        <div class="actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={create.isRunning.value}>
            Create API Key
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
