import { Fragment } from 'preact';
import { useId } from 'preact/hooks';
import { eachField, type UtmField, utmFields } from '../../rules/click-fields.ts';
import { type UtmChanges, utmOf } from '../../rules/destinations/utm.ts';
import { call } from '../client.ts';
import { useQuery } from '../queries.ts';
import { TextField } from './field.tsx';
import { UtmTemplates } from './utm-templates.tsx';

const texts: Readonly<Record<UtmField, { readonly label: string; readonly hint: string }>> = {
  utm_source: { label: 'Source', hint: 'Who sends visitors: newsletter, instagram' },
  utm_medium: { label: 'Medium', hint: 'The medium: email, social, paper' },
  utm_campaign: { label: 'Campaign', hint: 'The campaign: spring sale' },
  utm_term: { label: 'Term', hint: 'The paid search terms' },
  utm_content: { label: 'Content', hint: 'The variant: upper button' },
};

interface BuilderProps {
  readonly destinations: readonly string[];
  readonly onChange: (changes: UtmChanges) => void;
}

/** A field for each UTM parameter, with suggestions from earlier links, and the organization's templates. */
export function UtmBuilder({ destinations, onChange }: BuilderProps) {
  const id = useId();
  const used = useQuery('utm values', () => call('GET /api/v1/utm_values'));
  const all = destinations.map(utmOf);
  const isEmpty = all.length === 0;
  // Of several destinations, the values that all of them share.
  const values = eachField(utmFields, (field) => {
    const [first = ''] = all.map((one) => one[field]);
    return all.every((one) => one[field] === first) ? first : '';
  });
  const differs = (field: UtmField): boolean => values[field] === '' && all.some((one) => one[field] !== '');
  return (
    <div class="stack even utm-builder">
      <UtmTemplates values={values} isDisabled={isEmpty} onChoice={onChange} />
      <div class="field-grid">
        {utmFields.map((field) => (
          <Fragment key={field}>
            <TextField
              {...texts[field]}
              autocomplete="off"
              autocapitalize="off"
              spellcheck={false}
              maxLength={255}
              disabled={isEmpty}
              list={`${id}-${field}`}
              placeholder={differs(field) ? 'Differs' : ''}
              value={values[field]}
              onText={(typed) => onChange({ [field]: typed })}
            />
            <datalist id={`${id}-${field}`}>
              {used.data.value?.[field].map((value) => (
                <option key={value} value={value} />
              ))}
            </datalist>
          </Fragment>
        ))}
      </div>
      <p class="soft small">
        {isEmpty
          ? 'Paste the long URL first: they become part of it.'
          : 'They are part of the destination: changes there are shown here, and the other way round.'}
      </p>
    </div>
  );
}
