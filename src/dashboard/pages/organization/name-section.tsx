import { useSignal } from '@preact/signals';
import { useAction } from '../../action.ts';
import type { Organization } from '../../api-types.ts';
import { call } from '../../client.ts';
import { say } from '../../notices.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Section } from '../../parts/section.tsx';
import { TroubleBesides } from '../../parts/trouble.tsx';
import { refresh } from '../../queries.ts';
import { me } from '../../session.ts';

export function NameSection({ known, isEditable }: { known: Organization; isEditable: boolean }) {
  const name = useSignal(known.name);
  const save = useAction(async () => {
    const changed = await call('PATCH /api/v1/organization', { body: { name: name.value } });
    name.value = changed.name;
    if (me.value) me.value = { ...me.value, organization_name: changed.name };
    refresh('organization');
    say('Name saved.');
  });
  const trouble = save.trouble.value;
  if (!isEditable) {
    return (
      <Section title="Name">
        <p>{known.name}</p>
      </Section>
    );
  }
  return (
    <Section title="Name" about="Shown to members and to whoever is invited.">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save.run();
        }}
      >
        <TroubleBesides trouble={trouble} fields={['name']} onRetry={() => void save.run()} />
        <TextField
          label="The organization's name"
          isLabelUnseen
          required
          maxLength={200}
          value={name.value}
          error={trouble?.of('name')}
          onText={(text) => {
            name.value = text;
          }}
        />
        <div class="actions">
          <Button type="submit" disabled={save.isRunning.value || name.value.trim() === known.name}>
            Save name
          </Button>
        </div>
      </form>
    </Section>
  );
}
