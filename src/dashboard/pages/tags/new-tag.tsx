import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import { say } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { makeTag } from '../../parts/tags.ts';
import { TroubleBesides } from '../../parts/trouble.tsx';

export const longestName = 100;

export function NewTag({ isFirst }: { isFirst: boolean }) {
  const name = useSignal('');
  const create = useAction(async () => {
    const tag = await makeTag(name.value);
    name.value = '';
    say(`Tag “${tag.name}” created.`);
  });
  return (
    <form
      class="new-tag"
      onSubmit={(event) => {
        event.preventDefault();
        void create.run();
      }}
    >
      <TroubleBesides trouble={create.trouble.value} fields={['name']} onRetry={() => void create.run()} />
      <div class="new-tag-row">
        <TextField
          label="New tag"
          isLabelUnseen
          placeholder="Name of a new tag"
          autocomplete="off"
          autoFocus={isFirst}
          required
          maxLength={longestName}
          value={name.value}
          error={create.trouble.value?.of('name')}
          onText={(text) => {
            name.value = text;
          }}
        />
        <Button type="submit" kind="primary" disabled={create.isRunning.value}>
          Create tag
        </Button>
      </div>
    </form>
  );
}
