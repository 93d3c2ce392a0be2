import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import { call } from '../../client.ts';
import { say } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Section } from '../../parts/section.tsx';
import { TroubleBesides } from '../../parts/trouble.tsx';
import { me } from '../../session.ts';

export function ProfileSection() {
  const name = useSignal(me.value?.name ?? '');
  const save = useAction(async () => {
    me.value = await call('PATCH /api/v1/user', { body: { name: name.value } });
    say('Name saved.');
  });
  const trouble = save.trouble.value;
  return (
    <Section title="Name" about="How your organization sees you.">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        <TroubleBesides trouble={trouble} fields={['name']} onRetry={() => void save.run()} />
        <TextField
          label="Your name"
          isLabelUnseen
          autocomplete="name"
          value={name.value}
          error={trouble?.of('name')}
          onText={(text) => {
            name.value = text;
          }}
        />
        <div class="actions">
          <Button
            type="submit"
            disabled={save.isRunning.value || name.value.trim() === (me.value?.name ?? '')}
          >
            Save name
          </Button>
        </div>
      </form>
    </Section>
  );
}
