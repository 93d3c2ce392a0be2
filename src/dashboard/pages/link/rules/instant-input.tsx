import { timezone } from '../../../format.ts';
import type { FieldFrame } from '../../../parts/field.tsx';
import { instantOfLocal } from '../local-instant.ts';
import { LocalInstantField } from '../local-instant-field.tsx';

interface InstantInputProps extends FieldFrame {
  /** ISO 8601, UTC; empty if none was given. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** An instant, shown and typed in the user's time zone. */
export const InstantInput = ({ value, onChange, ...frame }: InstantInputProps) => (
  <LocalInstantField
    {...frame}
    hint={`By the clock of ${timezone}.`}
    value={value || null}
    onInput={(input) => onChange(instantOfLocal(input.value) ?? '')}
  />
);
