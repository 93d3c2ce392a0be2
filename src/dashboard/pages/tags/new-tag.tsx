import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import { say } from '../../notices.ts';
import { Form, FormField, Submit } from '../../parts/form.tsx';
import { makeTag } from '../../parts/tags.ts';

export const maxNameLength = 100;

export function NewTag({ isFirst }: { isFirst: boolean }) {
  const name = useSignal('');
  const create = useAction(async () => {
    const tag = await makeTag(name.value);
    name.value = '';
    say(`Tag “${tag.name}” created.`);
  });
  return (
    <Form action={create} fields={['name']} canRetry class="new-tag">
      <div class="new-tag-row">
        <FormField
          field="name"
          label="New tag"
          isLabelUnseen
          placeholder="Name of a new tag"
          autocomplete="off"
          autoFocus={isFirst}
          required
          maxLength={maxNameLength}
          signal={name}
        />
        <Submit kind="primary">Create tag</Submit>
      </div>
    </Form>
  );
}
