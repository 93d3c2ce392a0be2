import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { timezone } from '../../format.ts';
import { Field, type FieldFrame } from '../../parts/field.tsx';
import { instantOfLocal, localOf } from './local-instant.ts';

interface LocalInstantFieldProps extends FieldFrame {
  /** ISO 8601, UTC; null if none was given. */
  readonly value: string | null;
  readonly onInput: (input: HTMLInputElement) => void;
  readonly inputRef?: RefObject<HTMLInputElement | null>;
  readonly required?: boolean;
  /** Whether a dialog focuses it first. */
  readonly 'data-focus'?: boolean;
}

/** An instant, shown and typed in the user's time zone. */
export function LocalInstantField({
  value,
  onInput,
  inputRef,
  required = false,
  'data-focus': isFocused = false,
  ...frame
}: LocalInstantFieldProps) {
  const ownRef = useRef<HTMLInputElement>(null);
  const ref = inputRef ?? ownRef;
  const shown = localOf(value);
  // A half-typed date has an empty value, and setting an empty value would erase it.
  useEffect(() => {
    const input = ref.current;
    if (input && input.value !== shown && (shown !== '' || !input.validity.badInput)) input.value = shown;
  }, [shown]);
  return (
    <Field {...frame}>
      {(marks) => (
        <input
          ref={ref}
          class="input"
          type="datetime-local"
          max="9999-12-31T23:59"
          required={required}
          data-focus={isFocused || undefined}
          onInput={(event) => onInput(event.currentTarget)}
          {...marks}
        />
      )}
    </Field>
  );
}

interface InstantInputProps extends FieldFrame {
  /** ISO 8601, UTC; empty if none was given. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The same for a value of the API, whose time zone is named below it. */
export const InstantInput = ({ value, onChange, ...frame }: InstantInputProps) => (
  <LocalInstantField
    {...frame}
    hint={`By the clock of ${timezone}.`}
    value={value || null}
    onInput={(input) => onChange(instantOfLocal(input.value) ?? '')}
  />
);
