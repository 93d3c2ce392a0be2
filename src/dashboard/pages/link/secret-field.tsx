import { useSignal } from '@preact/signals';
import { type ComponentChildren, h } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Field, type FieldFrame } from '../../parts/field.tsx';

interface SecretFieldProps extends FieldFrame {
  readonly value: string;
  readonly onText?: (text: string) => void;
  readonly autocomplete?: AutoFill;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly autoFocus?: boolean;
  /** What else can be done with it, behind the button that shows it. */
  readonly children?: ComponentChildren;
}

/** Hidden until it is asked to be seen; only to be read where nothing is done with what is typed. */
export function SecretField({
  value,
  onText,
  autocomplete = 'off',
  placeholder,
  maxLength,
  autoFocus = false,
  children,
  ...frame
}: SecretFieldProps) {
  const isShown = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  // Before anything else can be typed, where a click has asked for the field.
  useLayoutEffect(() => {
    if (autoFocus) input.current?.focus();
  }, []);
  return (
    <Field {...frame}>
      {(marks) => (
        <div class="secret-field">
          {h('input', {
            ref: input,
            class: 'input',
            type: isShown.value ? 'text' : 'password',
            autocomplete,
            spellcheck: false,
            readOnly: onText === undefined,
            value,
            ...(placeholder !== undefined && { placeholder }),
            ...(maxLength !== undefined && { maxLength }),
            onInput: (event: InputEvent) => {
              if (event.target instanceof HTMLInputElement) onText?.(event.target.value);
            },
            ...marks,
          })}
          <Button
            aria-pressed={isShown.value}
            aria-label={`Show ${frame.label}`}
            onClick={() => {
              isShown.value = !isShown.value;
            }}
          >
            {isShown.value ? 'Hide' : 'Show'}
          </Button>
          {children}
        </div>
      )}
    </Field>
  );
}
