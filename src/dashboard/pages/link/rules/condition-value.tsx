import { timezone } from '../../../format.ts';
import { nameOf } from '../../../stats/value-names.ts';
import { InstantInput } from '../local-instant-field.tsx';
import { HoursFields } from './hours-fields.tsx';
import { ParameterFields } from './parameter-fields.tsx';
import type { Problems } from './problems.ts';
import type { Condition, ConditionKey, Hours } from './rule.ts';
import { choicesOf, isChosenKey, type ValueChoice } from './value-choices.ts';
import { ValuePicker } from './value-picker.tsx';

interface ConditionValueProps {
  readonly condition: Condition;
  readonly label: string;
  /** The API's name of the condition within the rule. */
  readonly path: string;
  readonly problems: Problems;
  readonly onChange: (value: Condition['value']) => void;
}

const splitValues = (typed: string): readonly string[] => typed.split(/[\s,;]+/).filter(Boolean);
/** A pasted address is reduced to its host. */
const hostsIn = (typed: string): readonly string[] =>
  splitValues(typed).map((part) => part.replace(/^https?:\/\//, '').replace(/[/?#].*$/s, ''));

/** City names contain spaces. */
const citiesIn = (typed: string): readonly string[] =>
  typed
    .split(/[,;]+/)
    .map((name) => name.trim())
    .filter(Boolean);

/** How a typed text is read where other values than the choices are possible. */
const parsers: Readonly<Partial<Record<ConditionKey, (typed: string) => readonly string[]>>> = {
  region: (typed) => splitValues(typed.toUpperCase()),
  city: citiesIn,
  language: splitValues,
  referrer: hostsIn,
  network: splitValues,
};

const noReferrer: ValueChoice = { value: '', label: 'No page (typed, or from an app)' };

const placeholders: Readonly<Partial<Record<ConditionKey, string>>> = {
  country: 'Add a country',
  region: 'By its code, such as DE-BY',
  city: 'By its English name, such as Munich',
  language: 'Add a language, or type one such as pt-AO',
  referrer: 'example.com, or *.example.com',
  network: '192.0.2.0/24',
};

const firstHours: Hours = {
  timezone,
  days: ['mo', 'tu', 'we', 'th', 'fr'],
  from: '09:00',
  to: '17:00',
};

/** The initial value of a new condition. */
export const firstValue = (key: ConditionKey): Condition['value'] => {
  if (key === 'hours') return firstHours;
  if (key === 'query') return { '': [] };
  return key === 'from' || key === 'to' ? '' : [];
};

/** The fields of a condition's value. */
export function ConditionValue({ condition, label, path, problems, onChange }: ConditionValueProps) {
  const { key, value } = condition;
  const problem = problems.sentenceFor(path);
  const error = problem && (emptySentence(value) ?? problem);
  const frame = { label, isLabelUnseen: true, error };
  if (typeof value === 'string') return <InstantInput {...frame} value={value} onChange={onChange} />;
  if (isHours(value))
    return <HoursFields value={value} path={path} problems={problems} onChange={onChange} />;
  if (isParameters(value))
    return <ParameterFields value={value} path={path} problems={problems} onChange={onChange} />;
  return (
    <ValuePicker
      {...frame}
      values={value}
      onChange={onChange as (values: readonly string[]) => void}
      refusedIndexes={problems.indexesIn(path)}
      choices={isChosenKey(key) ? choicesOf(key) : key === 'referrer' ? [noReferrer] : []}
      placeholder={placeholders[key]}
      parse={parsers[key]}
      nameOf={(tag) => (key === 'language' ? nameOf(key, tag) : tag)}
    />
  );
}

/** The API's sentence is about the entries of a list, or the form of a date; to the user it is a field left empty. */
function emptySentence(value: Condition['value']): string | null {
  if (value === '') return 'Choose a day and a time, or remove the condition.';
  return Array.isArray(value) && value.length === 0 ? 'Add at least one, or remove the condition.' : null;
}

const isHours = (value: Condition['value']): value is Hours =>
  typeof value === 'object' && typeof (value as Partial<Hours>).timezone === 'string';
const isParameters = (value: Condition['value']): value is Condition<'query'>['value'] =>
  typeof value === 'object' && !Array.isArray(value);
