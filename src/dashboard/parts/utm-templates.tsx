import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { eachField, type UtmField, utmFields } from '../../rules/click-fields.ts';
import type { UtmChanges } from '../../rules/destinations/utm.ts';
import { useNoticedAction } from '../action.ts';
import type { Calls, UtmTemplate } from '../api-types.ts';
import { call } from '../client.ts';
import { useCreateOnce } from '../create-once.ts';
import { setTo } from '../handlers.ts';
import { notify } from '../notices.ts';
import { useQuery } from '../queries.ts';
import { Button } from './button.tsx';
import { SelectField } from './field.tsx';
import { TemplateName } from './template-name.tsx';

type Values = Readonly<Record<UtmField, string>>;

interface TemplatesProps {
  readonly values: Values;
  readonly isDisabled: boolean;
  readonly onChoice: (changes: UtmChanges) => void;
}

const noTemplates: readonly UtmTemplate[] = [];

const isLike = (template: UtmTemplate, values: Values): boolean =>
  utmFields.every((field) => (template[field] ?? '') === values[field]);

/** A template as changes of a destination: parameters that it doesn't have are removed. */
const changesOf = (template: UtmTemplate) => eachField(utmFields, (field) => template[field]);

const updateTemplate = (id: number, body: Calls['PATCH /api/v1/utm_template/{id}']['body']) =>
  call('PATCH /api/v1/utm_template/{id}', { params: { id }, body });

/** Chooses, creates, renames, changes and deletes the organization's templates of UTM parameters. */
export function UtmTemplates({ values, isDisabled, onChoice }: TemplatesProps) {
  /** The template being named; `new` is one that is not saved yet. */
  const naming = useSignal<UtmTemplate | 'new' | null>(null);
  const templateToName = naming.value;
  /** The id of the template that was applied last: later typing may be meant as a change of it. */
  const last = useRef<number>(undefined);
  const templates =
    useQuery('utm templates', () => call('GET /api/v1/utm_template')).data.value ?? noTemplates;
  const chosen = templates.find((template) => isLike(template, values));
  if (chosen) last.current = chosen.id;
  const lastApplied = chosen ? undefined : templates.find(({ id }) => id === last.current);
  const changing = useNoticedAction(async (template: UtmTemplate) => {
    await updateTemplate(template.id, values);
    notify(`Template "${template.name}" changed.`, { undo: () => void revertingChange.run(template) });
  }, 'utm');
  const revertingChange = useNoticedAction(async (template: UtmTemplate) => {
    await updateTemplate(template.id, changesOf(template));
  }, 'utm');
  const removing = useNoticedAction(async (template: UtmTemplate) => {
    await call('DELETE /api/v1/utm_template/{id}', { params: { id: template.id } });
    notify(`Template "${template.name}" deleted.`, { undo: () => void restore.run(template) });
  }, 'utm');
  const restore = useNoticedAction(async (template: UtmTemplate) => {
    await call('POST /api/v1/utm_template', { body: { name: template.name, ...changesOf(template) } });
  }, 'utm');
  const createOnce = useCreateOnce();
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
      {chosen && templateToName === null && (
        <>
          <Button isSlim kind="plain" icon="edit" onClick={setTo(naming, chosen)}>
            Rename template
          </Button>
          <Button isSlim kind="plain" icon="trash" onClick={() => void removing.run(chosen)}>
            Delete template
          </Button>
        </>
      )}
      {hasValues && !chosen && templateToName === null && (
        <>
          {lastApplied && (
            <Button isSlim kind="plain" icon="edit" onClick={() => void changing.run(lastApplied)}>
              Change “{lastApplied.name}” to this
            </Button>
          )}
          <Button isSlim kind="plain" icon="plus" onClick={setTo(naming, 'new')}>
            Save as template
          </Button>
        </>
      )}
      {templateToName === 'new' && (
        <TemplateName
          button="Save template"
          save={async (name) => {
            const saved = await createOnce('POST /api/v1/utm_template', { body: { name, ...values } });
            notify(`Template "${saved.name}" saved.`);
          }}
          onEnd={setTo(naming, null)}
        />
      )}
      {templateToName !== null && templateToName !== 'new' && (
        <TemplateName
          button="Rename template"
          name={templateToName.name}
          save={(name) => updateTemplate(templateToName.id, { name })}
          onEnd={setTo(naming, null)}
        />
      )}
    </div>
  );
}
