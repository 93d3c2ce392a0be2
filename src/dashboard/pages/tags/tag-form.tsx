import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type Action, useAction } from '../../action.ts';
import type { CountedTag } from '../../api-types.ts';
import { call } from '../../client.ts';
import { useCreateOnce } from '../../create-once.ts';
import { notify } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { isFocusInUse } from '../../parts/focus.ts';
import { Form, FormField, type FormFieldProps, Submit } from '../../parts/form.tsx';
import { createTag } from '../../parts/tags.ts';
import { refresh, updateCached } from '../../queries.ts';

interface TagFormProps extends FormFieldProps {
  readonly action: Action<[]>;
  readonly class: string;
  /** The buttons. */
  readonly children: ComponentChildren;
}

const TagForm = ({ action, class: name, children, ...field }: TagFormProps) => (
  <Form action={action} fields={['name']} canRetry class={name}>
    <div class="new-tag-row">
      <FormField field="name" isLabelUnseen autocomplete="off" required maxLength={100} {...field} />
      {children}
    </div>
  </Form>
);

export function NewTag({ isFirst }: { isFirst: boolean }) {
  const name = useSignal('');
  const createOnce = useCreateOnce();
  const create = useAction(async () => {
    const tag = await createTag(createOnce, name.value);
    name.value = '';
    notify(`Tag “${tag.name}” created.`);
  });
  return (
    <TagForm
      action={create}
      class="stack tight new-tag"
      label="New tag"
      placeholder="Name of a new tag"
      autoFocus={isFirst && !isFocusInUse()}
      signal={name}
    >
      <Submit kind="primary">Create tag</Submit>
    </TagForm>
  );
}

/** The form in place of the tag's row; Escape closes it. */
export function RenameTag({ tag, onDone }: { tag: CountedTag; onDone: () => void }) {
  const name = useSignal(tag.name);
  const rename = useAction(async () => {
    if (name.value.trim() === tag.name) return onDone();
    const renamed = await call('PATCH /api/v1/tag/{id}', {
      params: { id: tag.id },
      body: { name: name.value },
    });
    updateCached<readonly CountedTag[]>('tags', (known) =>
      known.map((one) => (one.id === renamed.id ? renamed : one)),
    );
    refresh('tags', 'links', 'link ');
    onDone();
  });
  return (
    <TagForm
      action={rename}
      class="stack close rename-tag"
      label={`New name of ${tag.name}`}
      autoFocus
      signal={name}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.isComposing) return;
        event.preventDefault();
        onDone();
      }}
    >
      <Submit kind="primary">Rename tag</Submit>
      <Button onClick={onDone}>Cancel</Button>
    </TagForm>
  );
}
