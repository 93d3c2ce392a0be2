import { useAction } from '../action.ts';
import { notify } from '../notices.ts';
import { useDraft } from '../use-draft.ts';
import { Form, FormField, type FormFieldProps, Submit } from './form.tsx';
import { Section } from './section.tsx';

interface NameSectionProps extends Omit<FormFieldProps, 'signal' | 'field'> {
  readonly about: string;
  readonly savedName: string;
  readonly save: (name: string) => Promise<string>;
}

/** A section for changing a name. `save` returns the stored name. */
export function NameSection({ about, savedName, save, ...field }: NameSectionProps) {
  const draft = useDraft(savedName);
  const saving = useAction(async () => {
    const sent = draft.typed.value;
    draft.showStored(sent, await save(sent));
    notify('Name saved.');
  });
  return (
    <Section title="Name" about={about}>
      <Form action={saving} fields={['name']} canRetry>
        <FormField field="name" signal={draft.typed} isLabelUnseen {...field} />
        <div class="actions">
          <Submit disabled={draft.typed.value.trim() === savedName}>Save name</Submit>
        </div>
      </Form>
    </Section>
  );
}
