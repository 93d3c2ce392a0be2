import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import type { CountedTag } from '../../api-types.ts';
import { call } from '../../client.ts';
import { Button } from '../../parts/button.tsx';
import { Form, FormField, Submit } from '../../parts/form.tsx';
import { assume, refresh } from '../../queries.ts';
import { maxNameLength } from './new-tag.tsx';

/** The form in place of the tag's row; Escape closes it. */
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
        <FormField
          field="name"
          label={`New name of ${tag.name}`}
          isLabelUnseen
          autocomplete="off"
          autoFocus
          required
          maxLength={maxNameLength}
          signal={name}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            onDone();
          }}
        />
        <Submit kind="primary">Rename tag</Submit>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </Form>
  );
}
