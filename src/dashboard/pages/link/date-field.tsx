import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { hasPassed, instant, timezone } from '../../format.ts';
import { isSavingKey, whenFocusLeaves } from '../../handlers.ts';
import { Button } from '../../parts/button.tsx';
import { labels } from './fields.ts';
import type { LinkForm } from './form.ts';
import { distanceTo, inDays, instantOfLocal, localOf } from './local-instant.ts';
import { LocalInstantField } from './local-instant-field.tsx';

const steps = [
  { days: 1, label: 'In a day' },
  { days: 7, label: 'In a week' },
  { days: 30, label: 'In 30 days' },
];

type DateName = 'start_date' | 'expiration_date';

/** When the link starts or expires, shown in the user's timezone and sent as UTC. */
export function DateField({ form, name }: { form: LinkForm; name: DateName }) {
  const input = useRef<HTMLInputElement>(null);
  const at = form.fields[name];
  const error = form.errorOf(name);
  useEffect(() => () => form.setInvalid(name, null), []);
  // What is half-typed goes with the other changes that are discarded.
  useLayoutEffect(() => {
    const field = input.current;
    if (field && error === null && field.validity.badInput) field.value = localOf(at);
  }, [error]);
  const pick = (iso: string | null) => {
    form.setInvalid(name, null);
    if (input.current) input.current.value = localOf(iso);
    form.set(name, iso);
  };
  const onInput = (field: HTMLInputElement) => {
    const picked = instantOfLocal(field.value);
    if (picked === null && (field.value !== '' || field.validity.badInput)) {
      form.setInvalid(
        name,
        'This date is incomplete or too far away. Give day, month, year and time, or clear it.',
      );
      return;
    }
    form.setInvalid(name, null);
    form.set(name, picked);
  };
  /** Browsers report no input as long as the value stays empty: neither a half-typed date, nor that the rest of one was erased. */
  const readEmpty = () => {
    const field = input.current;
    if (field?.value === '' && (field.validity.badInput || at !== null || error !== null)) onInput(field);
  };
  return (
    <div
      class="expiration"
      onFocusOut={whenFocusLeaves(readEmpty)}
      onKeyDown={(event) => {
        if (isSavingKey(event)) readEmpty();
      }}
    >
      <LocalInstantField
        label={labels[name]}
        error={error}
        hint={
          <span>
            <Phrase name={name} at={at} /> Times are those of {timezone}.
          </span>
        }
        value={at}
        onInput={onInput}
        inputRef={input}
      />
      <div class="actions">
        {name === 'expiration_date' &&
          steps.map(({ days, label }) => (
            <Button key={days} isSlim onClick={() => pick(inDays(days))}>
              {label}
            </Button>
          ))}
        <Button isSlim kind="plain" disabled={at === null && !error} onClick={() => pick(null)}>
          {name === 'start_date' ? 'Start at once' : 'Clear'}
        </Button>
      </div>
    </div>
  );
}

function Phrase({ name, at }: { name: DateName; at: string | null }) {
  const isStart = name === 'start_date';
  if (at === null) return isStart ? 'It has started.' : 'It never expires.';
  if (!hasPassed(at))
    return (
      <>
        It {isStart ? 'starts' : 'expires'} on {instant(at)}, <strong>{distanceTo(at)}</strong>
        {isStart ? ': until then visitors are told so.' : '.'}
      </>
    );
  if (isStart) return `It started on ${instant(at)}.`;
  return (
    <strong>
      It expired on {instant(at)}, {distanceTo(at)}: visitors are told so.
    </strong>
  );
}
