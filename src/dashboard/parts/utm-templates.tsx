import { useSignal } from '@preact/signals';
import { eachField, type UtmField, utmFields } from '../../rules/click-fields.ts';
import type { UtmChanges } from '../../rules/utm.ts';
import { useAction, useNoticedAction } from '../action.ts';
import type { UtmTemplate } from '../api-types.ts';
import { call } from '../client.ts';
import { setTo, storeIn } from '../handlers.ts';
import { say } from '../notices.ts';
import { refresh, useQuery } from '../queries.ts';
import { Button } from './button.tsx';
import { SelectField, TextField } from './field.tsx';

type Values = Readonly<Record<UtmField, string>>;

interface TemplatesProps {
  readonly values: Values;
  readonly isDisabled: boolean;
  readonly onChoice: (changes: UtmChanges) => void;
}

const noTemplates: readonly UtmTemplate[] = [];

const isLike = (template: UtmTemplate, values: Values): boolean =>
  utmFields.every((field) => (template[field] ?? '') === values[field]);

/** A template as it is written into a destination: it also takes out what it hasn't. */
const changesOf = (template: UtmTemplate) => eachField(utmFields, (field) => template[field]);

/** Chooses, makes and deletes the organization's templates of UTM parameters. */
export function UtmTemplates({ values, isDisabled, onChoice }: TemplatesProps) {
  const name = useSignal<string | null>(null);
  const templates =
    useQuery('utm templates', () => call('GET /api/v1/utm_template')).data.value ?? noTemplates;
  const chosen = templates.find((template) => isLike(template, values));
  const saving = useAction(async () => {
    const saved = await call('POST /api/v1/utm_template', { body: { name: name.value ?? '', ...values } });
    refresh('utm');
    name.value = null;
    say(`Template "${saved.name}" saved.`);
  });
  const removing = useNoticedAction(async (template: UtmTemplate) => {
    await call('DELETE /api/v1/utm_template/{id}', { params: { id: template.id } });
    say(`Template "${template.name}" deleted.`, {
      action: { label: 'Undo', act: () => void restore.run(template) },
    });
  }, 'utm');
  const restore = useNoticedAction(async (template: UtmTemplate) => {
    await call('POST /api/v1/utm_template', { body: { name: template.name, ...changesOf(template) } });
  }, 'utm');
  const hasValues = utmFields.some((field) => values[field] !== '');
  return (
    <div class="utm-templates">
      {templates.length > 0 && (
        <SelectField
          label="Template"
          value={chosen ? String(chosen.id) : ''}
          choices={[
            { value: '', label: hasValues ? 'None of them' : 'Choose a template' },
            ...templates.map((template) => ({ value: String(template.id), label: template.name })),
          ]}
          isDisabled={isDisabled}
          onChoice={(id) => {
            const template = templates.find((one) => String(one.id) === id);
            if (template) onChoice(changesOf(template));
          }}
        />
      )}
      {chosen && name.value === null && (
        <Button isSlim kind="plain" icon="trash" onClick={() => void removing.run(chosen)}>
          Delete template
        </Button>
      )}
      {hasValues && !chosen && name.value === null && (
        <Button isSlim kind="plain" icon="plus" onClick={setTo(name, '')}>
          Save as template
        </Button>
      )}
      {name.value !== null && (
        <div class="utm-naming">
          <TextField
            label="Name of the template"
            value={name.value}
            error={saving.error.value?.of('name') ?? saving.error.value?.message}
            maxLength={100}
            autocomplete="off"
            autoFocus
            onText={storeIn(name)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') name.value = null;
              if (event.key !== 'Enter' || event.isComposing) return;
              // The form around it is not to be sent.
              event.preventDefault();
              void saving.run();
            }}
          />
          <div class="actions">
            <Button isSlim disabled={saving.isRunning.value} onClick={() => void saving.run()}>
              Save template
            </Button>
            <Button isSlim kind="plain" onClick={setTo(name, null)}>
              Cancel
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}
