import type { Signal } from '@preact/signals';
import { type ComponentChildren, h, type TextareaHTMLAttributes } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export interface FieldFrame {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly error?: string | null | undefined;
  /** The label is only for screen readers. */
  readonly isLabelUnseen?: boolean;
}

interface Marks {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: 'true';
}

/** A label, an input, a hint, and the API's error. */
export function Field({
  label,
  hint,
  error,
  isLabelUnseen,
  children,
}: FieldFrame & { children: (marks: Marks) => ComponentChildren }) {
  const id = useId();
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id} class={isLabelUnseen ? 'unseen' : undefined}>
        {label}
      </label>
      {children({
        id,
        ...(described && { 'aria-describedby': described }),
        ...(error && { 'aria-invalid': 'true' as const }),
      })}
      {error && (
        <p class="error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps extends FieldFrame {
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'search' | 'number' | 'date' | 'datetime-local';
  readonly name?: string;
  readonly autocomplete?: AutoFill;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
  readonly disabled?: boolean;
  readonly readOnly?: boolean;
  readonly spellcheck?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: string;
  readonly list?: string;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly onBlur?: () => void;
}

export function TextField({
  value,
  onText,
  label,
  hint,
  error,
  isLabelUnseen = false,
  type = 'text',
  autoFocus = false,
  ...rest
}: TextFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (autoFocus) input.current?.focus();
  }, []);
  return (
    <Field label={label} hint={hint} error={error} isLabelUnseen={isLabelUnseen}>
      {(marks) =>
        h('input', {
          ref: input,
          class: 'input',
          type,
          value,
          onInput: (event: InputEvent) => {
            if (event.target instanceof HTMLInputElement) onText(event.target.value);
          },
          ...rest,
          ...marks,
        })
      }
    </Field>
  );
}

export type SignalFieldProps = Omit<TextFieldProps, 'value' | 'onText'> & { readonly signal: Signal<string> };

/** A text field that writes what is typed into a signal. */
export const SignalField = ({ signal, ...props }: SignalFieldProps) => (
  <TextField
    value={signal.value}
    onText={(text) => {
      signal.value = text;
    }}
    {...props}
  />
);

export function TextArea({
  value,
  onText,
  label,
  hint,
  error,
  ...rest
}: FieldFrame &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'label' | 'onInput' | 'value'> & {
    readonly value: string;
    readonly onText: (text: string) => void;
  }) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(marks) => (
        <textarea
          class="input"
          value={value}
          onInput={(event) => onText(event.currentTarget.value)}
          {...rest}
          {...marks}
        />
      )}
    </Field>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export function SelectField({
  value,
  choices,
  onChoice,
  label,
  hint,
  error,
  isLabelUnseen,
}: FieldFrame & {
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChoice: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint} error={error} isLabelUnseen={isLabelUnseen ?? false}>
      {(marks) => (
        <select
          class="input"
          value={value}
          onChange={(event) => onChoice(event.currentTarget.value)}
          {...marks}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Switch({
  label,
  hint,
  isOn,
  onTurn,
}: {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly isOn: boolean;
  readonly onTurn: (isOn: boolean) => void;
}) {
  const id = useId();
  return (
    <div class="switch">
      <input
        type="checkbox"
        role="switch"
        id={id}
        checked={isOn}
        aria-checked={isOn}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onTurn(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
