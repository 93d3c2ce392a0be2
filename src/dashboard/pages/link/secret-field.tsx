import { useSignal } from '@preact/signals';
import { type ComponentChildren, h } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { toggle } from '../../handlers.ts';
import { Button } from '../../parts/button.tsx';
import { Field, type FieldFrame } from '../../parts/field.tsx';

interface SecretFieldProps extends FieldFrame {
  readonly value: string;
  readonly onText?: (text: string) => void;
  readonly autocomplete?: AutoFill;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly autoFocus?: boolean;
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

/** A text that is hidden until the user shows it; read-only without `onText`. */
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
  // Focused before the next paint, to receive what is typed right after the click.
  useLayoutEffect(() => {
    if (autoFocus) input.current?.focus();
  }, []);
  return (
    <Field {...frame}>
      {(marks) => (
        <div class="secret-field beside">
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
          <Button aria-pressed={isShown.value} aria-label={`Show ${frame.label}`} onClick={toggle(isShown)}>
            {isShown.value ? 'Hide' : 'Show'}
          </Button>
          {children}
        </div>
      )}
    </Field>
  );
}
