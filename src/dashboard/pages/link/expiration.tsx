import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { hasExpired, instant, timezone } from '../../words.ts';
import { labels } from './fields.ts';
import type { LinkForm } from './form.ts';
import { distanceTo, inDays, instantOfLocal, localOf } from './local-instant.ts';

const steps = [
  { days: 1, label: 'In a day' },
  { days: 7, label: 'In a week' },
  { days: 30, label: 'In 30 days' },
];

/** When the link expires, shown in the user's timezone and sent as UTC. */
export function Expiration({ form }: { form: LinkForm }) {
  const input = useRef<HTMLInputElement>(null);
  const at = form.fields.expiration_date;
  const shown = localOf(at);
  // A date that is half typed has an empty value, and setting the value would erase it.
  useEffect(() => {
    const field = input.current;
    if (field && field.value !== shown && !field.validity.badInput) field.value = shown;
  }, [shown]);
  useEffect(() => () => form.hold('expiration_date', null), []);
  const pick = (iso: string | null) => {
    form.hold('expiration_date', null);
    if (input.current) input.current.value = localOf(iso);
    form.set('expiration_date', iso);
  };
  const onInput = (field: HTMLInputElement) => {
    const picked = instantOfLocal(field.value);
    if (picked === null && (field.value !== '' || field.validity.badInput)) {
      form.hold(
        'expiration_date',
        'This date is not complete, or far off. Give day, month, year and time, or clear it.',
      );
      return;
    }
    form.hold('expiration_date', null);
    form.set('expiration_date', picked);
  };
  return (
    <div class="expiration">
      <Field
        label={labels.expiration_date}
        error={form.errorOf('expiration_date')}
        hint={
          <span>
            {at === null ? 'It never expires.' : <Phrase at={at} />} Times are those of {timezone}.
          </span>
        }
      >
        {(marks) => (
          <input
            ref={input}
            class="input"
            type="datetime-local"
            max="9999-12-31T23:59"
            onInput={(event) => onInput(event.currentTarget)}
            {...marks}
          />
        )}
      </Field>
      <div class="actions">
        {steps.map(({ days, label }) => (
          <Button key={days} isSlim onClick={() => pick(inDays(days))}>
            {label}
          </Button>
        ))}
        <Button
          isSlim
          kind="plain"
          disabled={at === null && !form.errorOf('expiration_date')}
          onClick={() => pick(null)}
        >
          Clear
        </Button>
      </div>
    </div>
  );
}

function Phrase({ at }: { at: string }) {
  return hasExpired(at) ? (
    <strong>
      It expired on {instant(at)}, {distanceTo(at)}: visitors are told so.
    </strong>
  ) : (
    <>
      It expires on {instant(at)}, <strong>{distanceTo(at)}</strong>.
    </>
  );
}
