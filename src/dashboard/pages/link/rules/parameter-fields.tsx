import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Button, IconButton } from '../../../parts/button.tsx';
import { TextField } from '../../../parts/field.tsx';
import { entriesInOrder, type Parameter, type Parameters } from './parameters.ts';
import type { Problems } from './problems.ts';
import { ValuePicker } from './value-picker.tsx';

interface ParameterFieldsProps {
  readonly value: Parameters;
  readonly path: string;
  readonly problems: Problems;
  readonly onChange: (value: Parameters) => void;
}

/** Parameters of the link's address: each is required, with one of its values. */
export function ParameterFields({ value, path, problems, onChange }: ParameterFieldsProps) {
  const shown = useRef(Object.keys(value));
  const entries = entriesInOrder(value, shown.current);
  const changeTo = (changed: readonly Parameter[]) => {
    shown.current = changed.map(([name]) => name);
    onChange(Object.fromEntries(changed));
  };
  /** A name typed a second time. The value, whose names are unique, has an empty name in its place, which isn't saved. */
  const repeated = useSignal('');
  const change = (index: number, entry: Parameter | null) => {
    const changed = entries.flatMap((other, at) => (at === index ? (entry ? [entry] : []) : [other]));
    const isFree = changed.every(([name]) => name !== repeated.value);
    changeTo(changed.map(([name, values]) => [isFree && name === '' ? repeated.value : name, values]));
  };
  const errorOf = (name: string, index: number): string | null => {
    if (name === '' && repeated.value !== '')
      return `There is a parameter ${repeated.value} already: add the values to it.`;
    const problem = problems.sentenceFor(path);
    if (problem && '' in value) return name === '' ? 'Give the name of the parameter.' : null;
    return index === 0 ? problem : null;
  };
  const isTaken = (name: string, index: number) =>
    entries.some(([other], at) => at !== index && other === name);
  return (
    <div class="stack tight">
      {entries.map(([name, values], index) => (
        <div class="parameter" key={index}>
          <TextField
            label="Parameter"
            placeholder="utm_source"
            maxLength={100}
            autocomplete="off"
            spellcheck={false}
            value={name || repeated.value}
            error={errorOf(name, index)}
            onText={(typed) => {
              const isRepeated = isTaken(typed, index);
              if (isRepeated && isTaken('', index)) return;
              if (isRepeated) repeated.value = typed;
              else if (name === '' || typed === '') repeated.value = '';
              change(index, [isRepeated ? '' : typed, values]);
            }}
          />
          <ValuePicker
            label={`Values of ${name || 'the parameter'}`}
            placeholder="Any value"
            values={values}
            choices={[]}
            parse={(typed) => [typed]}
            onChange={(changed) => change(index, [name, changed])}
          />
          {entries.length > 1 && (
            <IconButton
              icon="close"
              label={`Remove parameter ${name}`}
              onClick={() => {
                if (name === '') repeated.value = '';
                change(index, null);
              }}
            />
          )}
        </div>
      ))}
      <div>
        <Button
          isSlim
          icon="plus"
          disabled={'' in value}
          onClick={() => {
            repeated.value = '';
            changeTo([...entries, ['', []]]);
          }}
        >
          And another parameter
        </Button>
      </div>
    </div>
  );
}
