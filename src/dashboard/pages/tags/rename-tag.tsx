import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import type { CountedTag } from '../../api-types.ts';
import { call } from '../../client.ts';
import { Button } from '../../parts/button.tsx';
import { SignalField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { assume, refresh } from '../../queries.ts';
import { maxNameLength } from './new-tag.tsx';

/** In the tag's own place; Escape leaves its name as it was. */
export function RenameTag({ tag, onDone }: { tag: CountedTag; onDone: () => void }) {
  const name = useSignal(tag.name);
  const rename = useAction(async () => {
    if (name.value.trim() === tag.name) return onDone();
    const renamed = await call('PATCH /api/v1/tag/{id}', {
      params: { id: tag.id },
      body: { name: name.value },
    });
    assume<readonly CountedTag[]>('tags', (known) =>
      known.map((one) => (one.id === renamed.id ? renamed : one)),
    );
    refresh('tags', 'links', 'link ');
    onDone();
  });
  return (
    <Form action={rename} fields={['name']} canRetry class="rename-tag">
      <div class="new-tag-row">
        <SignalField
          label={`New name of ${tag.name}`}
          isLabelUnseen
          autocomplete="off"
          autoFocus
          required
          maxLength={maxNameLength}
          signal={name}
          error={rename.error.value?.of('name')}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            onDone();
          }}
        />
        <Button type="submit" kind="primary" disabled={rename.isRunning.value}>
          Rename tag
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </Form>
  );
}
