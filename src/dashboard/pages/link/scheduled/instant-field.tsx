import type { Signal } from '@preact/signals';
import { instant, timezone } from '../../../format.ts';
import { Button } from '../../../parts/button.tsx';
import { distanceTo, inDays, inHours, instantOfLocal } from '../local-instant.ts';
import { LocalInstantField } from '../local-instant-field.tsx';

const steps = [
  { label: 'In an hour', at: () => inHours(1) },
  { label: 'In a day', at: () => inDays(1) },
  { label: 'In a week', at: () => inDays(7) },
];

interface InstantFieldProps {
  /** ISO 8601, UTC; null until it is complete. */
  readonly at: Signal<string | null>;
  readonly error: string | null | undefined;
}

/** When a change is to be made, in the user's time zone. */
export function InstantField({ at, error }: InstantFieldProps) {
  return (
    <>
      <LocalInstantField
        label="When"
        error={error}
        hint={
          <span>
            {at.value && (
              <>
                On {instant(at.value)}, <strong>{distanceTo(at.value)}</strong>.{' '}
              </>
            )}
            Times are those of {timezone}.
          </span>
        }
        value={at.value}
        required
        data-focus
        onInput={(input) => {
          at.value = instantOfLocal(input.value);
        }}
      />
      <div class="instant-steps">
        {steps.map((step) => (
          <Button
            key={step.label}
            isSlim
            onClick={() => {
              at.value = step.at();
            }}
          >
            {step.label}
          </Button>
        ))}
      </div>
    </>
  );
}
