import { useEffect, useRef } from 'preact/hooks';
import { timezone } from '../../../format.ts';
import { Field, type FieldFrame } from '../../../parts/field.tsx';
import { instantOfLocal, localOf } from '../local-instant.ts';

interface InstantInputProps extends FieldFrame {
  /** ISO 8601, UTC; empty if none was given. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** An instant, shown and typed in the user's time zone. */
export function InstantInput({ value, onChange, ...frame }: InstantInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const shown = value === '' ? '' : localOf(value);
  // A half-typed date has an empty value, and setting the value would erase it.
  useEffect(() => {
    const field = input.current;
    if (field && field.value !== shown && !field.validity.badInput) field.value = shown;
  }, [shown]);
  return (
    <Field {...frame} hint={`By the clock of ${timezone}.`}>
      {(marks) => (
        <input
          ref={input}
          class="input"
          type="datetime-local"
          max="9999-12-31T23:59"
          onInput={(event) => onChange(instantOfLocal(event.currentTarget.value) ?? '')}
          {...marks}
        />
      )}
    </Field>
  );
}
