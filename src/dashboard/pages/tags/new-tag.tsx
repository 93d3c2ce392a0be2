import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import { say } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { SignalField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
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
        <SignalField
          label="New tag"
          isLabelUnseen
          placeholder="Name of a new tag"
          autocomplete="off"
          autoFocus={isFirst}
          required
          maxLength={maxNameLength}
          signal={name}
          error={create.error.value?.of('name')}
        />
        <Button type="submit" kind="primary" disabled={create.isRunning.value}>
          Create tag
        </Button>
      </div>
    </Form>
  );
}
