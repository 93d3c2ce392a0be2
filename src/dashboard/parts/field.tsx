import { type ComponentChildren, h } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { ErrorText } from './error-box.tsx';

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

interface FieldProps extends FieldFrame {
  readonly children: (marks: Marks) => ComponentChildren;
}

/** A label, an input, a hint, and the API's error. */
export function Field({ label, hint, error, isLabelUnseen, children }: FieldProps) {
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
      <ErrorText sentence={error} id={`${id}-error`} />
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextInputProps {
  readonly value: string;
  /** Without it, the text is only read. */
  readonly onText?: (text: string) => void;
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'date' | 'number';
  readonly inputMode?: 'numeric';
  readonly name?: string;
  readonly autocomplete?: AutoFill;
  readonly autocapitalize?: 'off';
  /** The id of a `datalist` with suggestions. */
  readonly list?: string;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly autoFocus?: boolean;
  readonly disabled?: boolean;
  readonly spellcheck?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly min?: string | number;
  readonly max?: string | number;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}

/** The input of a field of one line. */
export function TextInput({ onText, type = 'text', autoFocus = false, ...rest }: TextInputProps & Marks) {
  const input = useRef<HTMLInputElement>(null);
  // Focused before the next paint, to receive what is typed right after it is shown. A dialog that isn't open yet does it itself.
  useLayoutEffect(() => {
    if (autoFocus) input.current?.focus();
  }, []);
  return h('input', {
    ref: input,
    class: 'input',
    type,
    readOnly: onText === undefined,
    'data-focus': autoFocus || undefined,
    onInput: (event: InputEvent) => {
      if (event.target instanceof HTMLInputElement) onText?.(event.target.value);
    },
    ...rest,
  });
}

export type TextFieldProps = FieldFrame & TextInputProps;

export const TextField = ({ label, hint, error, isLabelUnseen = false, ...input }: TextFieldProps) => (
  <Field label={label} hint={hint} error={error} isLabelUnseen={isLabelUnseen}>
    {(marks) => <TextInput {...input} {...marks} />}
  </Field>
);

/** A text field for a web address. */
export const UrlField = (props: TextFieldProps) => (
  <TextField type="url" spellcheck={false} autocomplete="off" {...props} />
);

interface TextAreaProps extends FieldFrame {
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly maxLength: number;
}

export function TextArea({ value, onText, maxLength, ...frame }: TextAreaProps) {
  return (
    <Field {...frame}>
      {(marks) => (
        <textarea
          class="input"
          value={value}
          onInput={(event) => onText(event.currentTarget.value)}
          maxLength={maxLength}
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

interface SelectFieldProps extends FieldFrame {
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly isDisabled?: boolean;
  readonly onChoice: (value: string) => void;
}

export function SelectField({ value, choices, onChoice, isDisabled = false, ...frame }: SelectFieldProps) {
  return (
    <Field {...frame}>
      {(marks) => (
        <select
          class="input"
          value={value}
          disabled={isDisabled}
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

interface SwitchProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly isOn: boolean;
  readonly onToggle: (isOn: boolean) => void;
}

export function Switch({ label, hint, isOn, onToggle }: SwitchProps) {
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
        onChange={(event) => onToggle(event.currentTarget.checked)}
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
