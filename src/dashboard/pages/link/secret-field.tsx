import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { toggle } from '../../handlers.ts';
import { Button } from '../../parts/button.tsx';
import { Field, type TextFieldProps, TextInput } from '../../parts/field.tsx';

interface SecretFieldProps extends Omit<TextFieldProps, 'type' | 'isLabelUnseen'> {
  /** Further buttons. */
  readonly children?: ComponentChildren;
}

/** A text that is hidden until the user shows it. */
export function SecretField({ label, hint, error, children, ...input }: SecretFieldProps) {
  const isShown = useSignal(false);
  return (
    <Field label={label} hint={hint} error={error}>
      {(marks) => (
        <div class="secret-field beside">
          <TextInput
            autocomplete="off"
            spellcheck={false}
            {...input}
            {...marks}
            type={isShown.value ? 'text' : 'password'}
          />
          <Button aria-pressed={isShown.value} aria-label={`Show ${label}`} onClick={toggle(isShown)}>
            {isShown.value ? 'Hide' : 'Show'}
          </Button>
          {children}
        </div>
      )}
    </Field>
  );
}
