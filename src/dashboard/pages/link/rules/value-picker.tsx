import { useSignal } from '@preact/signals';
import type { FieldFrame } from '../../../parts/field.tsx';
import { Picker } from '../../../parts/picker.tsx';
import type { PickerOption } from '../../../parts/picker-options.tsx';
import type { ValueChoice } from './value-choices.ts';

interface ValuePickerProps extends FieldFrame {
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly choices: readonly ValueChoice[];
  /** Parses a typed text into values that are none of the choices; without it, only choices can be picked. */
  readonly parse?: ((typed: string) => readonly string[]) | undefined;
  /** The name of a value that is none of the choices. */
  readonly nameOf?: (value: string) => string;
  /** The indexes of values that the API refused. */
  readonly refusedIndexes?: readonly number[];
  readonly placeholder?: string | undefined;
}

/** Others are found by typing. */
const maxShown = 50;

/** Without accents and typographic apostrophes, as most keyboards type "Côte d’Ivoire". */
const folded = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').replace(/[’ʼ]/g, "'").toLowerCase();

/** Choices that begin with the typed text or have it as their code, followed by those that contain it. */
function bestMatches(choices: readonly ValueChoice[], typed: string): readonly ValueChoice[] {
  const isFirst = ({ value, label }: ValueChoice) =>
    folded(value) === typed || folded(label).startsWith(typed);
  const others = choices.filter((choice) => !isFirst(choice) && folded(choice.label).includes(typed));
  return [...choices.filter(isFirst), ...others];
}

const optionOf = ({ value, label, flag }: ValueChoice): PickerOption => ({
  key: value,
  content: (
    <>
      {flag !== undefined && (
        <span class="flag" aria-hidden="true">
          {flag}
        </span>
      )}
      <span class="cut">{label}</span>
    </>
  ),
});

/** The values of a condition: from a list, or typed. */
export function ValuePicker({
  values,
  onChange,
  choices,
  parse,
  nameOf = (value) => value,
  refusedIndexes = [],
  placeholder = 'Add',
  ...frame
}: ValuePickerProps) {
  const words = useSignal('');
  const typed = folded(words.value.trim());
  const unselected = choices.filter(({ value }) => !values.includes(value));
  const found = typed === '' ? unselected : bestMatches(unselected, typed);
  const options = found.slice(0, maxShown).map(optionOf);
  const choiceOf = (value: string): ValueChoice =>
    choices.find((choice) => choice.value === value) ?? { value, label: nameOf(value) };
  const add = (added: readonly string[]): string => {
    const fresh = [...new Set(added)].filter((value) => !values.includes(value));
    if (fresh.length > 0) onChange([...values, ...fresh]);
    return fresh.map((value) => choiceOf(value).label).join(', ');
  };
  return (
    <Picker
      {...frame}
      words={words}
      chips={values.map((value, index) => ({
        key: value,
        ...choiceOf(value),
        isRefused: refusedIndexes.includes(index),
      }))}
      options={options}
      listLabel={frame.label}
      hidden={found.length - options.length}
      emptyNote={parse ? null : 'Nothing else has that name.'}
      placeholder={placeholder}
      maxLength={500}
      onChoose={({ key }) => add([String(key)])}
      onRemove={({ key }) => onChange(values.filter((value) => value !== key))}
      addTyped={parse && ((text) => add(parse(text)))}
    />
  );
}
