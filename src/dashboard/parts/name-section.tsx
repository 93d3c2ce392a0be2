import { useSignal } from '@preact/signals';
import { useAction } from '../action.ts';
import { say } from '../notices.ts';
import { Button } from './button.tsx';
import { SignalField, type SignalFieldProps } from './field.tsx';
import { Form } from './form.tsx';
import { Section } from './section.tsx';

/** A section whose one field is a name, saved by itself. `save` returns the name as it is stored. */
export function NameSection({
  about,
  known,
  save,
  ...field
}: Omit<SignalFieldProps, 'signal'> & {
  readonly about: string;
  readonly known: string;
  readonly save: (name: string) => Promise<string>;
}) {
  const name = useSignal(known);
  const saving = useAction(async () => {
    name.value = await save(name.value);
    say('Name saved.');
  });
  return (
    <Section title="Name" about={about}>
      <Form action={saving} fields={['name']} canRetry>
        <SignalField signal={name} isLabelUnseen error={saving.error.value?.of('name')} {...field} />
        <div class="actions">
          <Button type="submit" disabled={saving.isRunning.value || name.value.trim() === known}>
            Save name
          </Button>
        </div>
      </Form>
    </Section>
  );
}
