import { useSignal } from '@preact/signals';
import { ErrorText } from '../../../parts/error-box.tsx';
import { SelectField, TextField, UrlField } from '../../../parts/field.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { Menu, MenuItem } from '../../../parts/menu.tsx';
import { setup } from '../../../session.ts';
import { ConditionRow } from './condition-row.tsx';
import { firstValue } from './condition-value.tsx';
import type { Problems } from './problems.ts';
import {
  type Condition,
  type ConditionKey,
  conditionKeys,
  conditionLabels,
  conditionsOf,
  inverted,
  type Rule,
  toDestination,
  toVariants,
  withCondition,
} from './rule.ts';
import { VariantFields } from './variant-fields.tsx';

interface RuleEditorProps {
  readonly rule: Rule;
  readonly problems: Problems;
  readonly onChange: (rule: Rule) => void;
}

const nameOf = ({ key, isNegated }: Pick<Condition, 'key' | 'isNegated'>): string =>
  `when${isNegated ? '.not' : ''}.${key}`;

/** The fields of a rule. Typing changes the link's draft at once, which is saved as a whole. */
export function RuleEditor({ rule, problems, onChange }: RuleEditorProps) {
  /** The condition that was added last: its field gets the focus. */
  const latest = useSignal('');
  const conditions = conditionsOf(rule.when);
  const isDuplicate = ({ key }: Condition) => conditions.filter((other) => other.key === key).length > 1;
  const setWhen = (when: Rule['when']) => onChange({ ...rule, when });
  const add = (key: ConditionKey) => {
    const added = { key, isNegated: conditions.some((other) => other.key === key) };
    latest.value = nameOf(added);
    setWhen(withCondition(rule.when, added, firstValue(key)));
  };
  const otherProblems = problems.sentencesOutside([
    ...conditions.map(nameOf),
    'destination_url',
    'variants',
    'name',
  ]);
  return (
    <div class="stack rule-editor">
      {otherProblems.map((sentence) => (
        <ErrorText key={sentence} sentence={sentence} />
      ))}
      <div class="stack tight">
        <h3>{conditions.length > 0 ? 'If the visitor' : 'For every visitor that gets here'}</h3>
        {conditions.map((condition) => (
          <ConditionRow
            key={isDuplicate(condition) ? nameOf(condition) : condition.key}
            condition={condition}
            problems={problems}
            isNew={latest.value === nameOf(condition)}
            onChange={(value) => setWhen(withCondition(rule.when, condition, value))}
            onInvert={() => setWhen(inverted(rule.when, condition.key))}
            onRemove={() => setWhen(withCondition(rule.when, condition, undefined))}
          />
        ))}
        <AddCondition conditions={conditions} onAdd={add} />
      </div>
      <div class="stack tight">
        <SelectField
          label="Go to"
          value={rule.variants ? 'variants' : 'one'}
          choices={[
            { value: 'one', label: 'One destination' },
            { value: 'variants', label: 'Several destinations, by share' },
          ]}
          onChoice={(kind) => onChange(kind === 'one' ? toDestination(rule) : toVariants(rule))}
        />
        {rule.variants ? (
          <VariantFields rule={rule} variants={rule.variants} problems={problems} onChange={onChange} />
        ) : (
          <UrlField
            label="Destination of the rule"
            placeholder="https://example.com/elsewhere"
            value={rule.destination_url ?? ''}
            error={problems.sentenceFor('destination_url')}
            onText={(typed) => onChange({ ...rule, destination_url: typed })}
          />
        )}
        {rule.variants && problems.indexesIn('variants').length === 0 && (
          <ErrorText sentence={problems.sentenceFor('variants')} />
        )}
      </div>
      <TextField
        label="Name of the rule"
        maxLength={200}
        autocomplete="off"
        hint="Only your organization sees it."
        value={rule.name ?? ''}
        error={problems.sentenceFor('name')}
        onText={(typed) => onChange({ ...rule, name: typed === '' ? null : typed })}
      />
    </div>
  );
}

interface AddConditionProps {
  readonly conditions: readonly Condition[];
  readonly onAdd: (key: ConditionKey) => void;
}

/**
 * A key may appear twice, required and excluded; instants only once, as each excludes what the other requires. Regions and cities
 * are offered if the country file contains them.
 */
function AddCondition({ conditions, onAdd }: AddConditionProps) {
  const isAvailable = { region: setup.value?.regions_known, city: setup.value?.cities_known };
  const availableKeys = conditionKeys.filter((key) => {
    if ((key === 'region' || key === 'city') && isAvailable[key] !== true) return false;
    const times = conditions.filter((other) => other.key === key).length;
    return times === 0 || (times === 1 && key !== 'from' && key !== 'to');
  });
  if (availableKeys.length === 0) return null;
  return (
    <Menu
      label="Add condition"
      side="left"
      class="button slim"
      button={
        <>
          <Icon name="plus" />
          Add condition
        </>
      }
    >
      {availableKeys.map((key) => (
        <MenuItem key={key} label={conditionLabels[key]} onClick={() => onAdd(key)} />
      ))}
    </Menu>
  );
}
