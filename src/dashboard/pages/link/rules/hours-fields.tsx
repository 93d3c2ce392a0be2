import { useEffect, useRef } from 'preact/hooks';
import { isSavingKey } from '../../../handlers.ts';
import { Field, type FieldFrame, SelectField } from '../../../parts/field.tsx';
import type { Problems } from './problems.ts';
import type { Hours } from './rule.ts';
import { dayNames, weekOrder } from './sentences.ts';

interface HoursFieldsProps {
  readonly value: Hours;
  readonly path: string;
  readonly problems: Problems;
  readonly onChange: (value: Hours) => void;
}

type Day = NonNullable<Hours['days']>[number];

const zones = (current: string): readonly string[] => [
  ...new Set(['UTC', current, ...Intl.supportedValuesOf('timeZone')]),
];

/** Days of the week, start and end, by the clock of a time zone. */
export function HoursFields({ value, path, problems, onChange }: HoursFieldsProps) {
  const { days = weekOrder, from, to } = value;
  const toggle = (day: Day) => {
    const chosen = weekOrder.filter((other) => days.includes(other) !== (other === day));
    const { days: _, ...everyDay } = value;
    // Choosing no day would match nobody; choosing all days is the same as naming none.
    if (chosen.length > 0)
      onChange(chosen.length === weekOrder.length ? everyDay : { ...value, days: chosen });
  };
  const setTime = (name: 'from' | 'to') => (time: string | undefined) => {
    const { [name]: _, ...rest } = value;
    onChange(time === undefined ? rest : { ...rest, [name]: time });
  };
  return (
    <div class="stack tight">
      <fieldset class="days" aria-label="Days">
        {weekOrder.map((day) => (
          <label key={day} class="beside" title={dayNames[day]}>
            <input type="checkbox" checked={days.includes(day)} onChange={() => toggle(day)} />
            <span aria-hidden="true">{dayNames[day].slice(0, 2)}</span>
            <span class="unseen">{dayNames[day]}</span>
          </label>
        ))}
      </fieldset>
      <div class="hours-times">
        <TimeField
          label="From"
          time={from}
          error={problems.sentenceFor(`${path}.from`)}
          onTime={setTime('from')}
        />
        <TimeField
          label="Until"
          time={to}
          error={problems.sentenceFor(`${path}.to`)}
          onTime={setTime('to')}
        />
      </div>
      <SelectField
        label="By the clock of"
        value={value.timezone}
        choices={zones(value.timezone).map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))}
        error={problems.sentenceFor(`${path}.timezone`)}
        hint="Hours that end before they begin end on the next day."
        onChoice={(timezone) => onChange({ ...value, timezone })}
      />
    </div>
  );
}

/** The time while it is half-typed, which the API refuses: without a time the rule would match all day. */
const incomplete = '';

interface TimeFieldProps extends FieldFrame {
  readonly time: string | undefined;
  readonly onTime: (time: string | undefined) => void;
}

function TimeField({ time, onTime, error, ...frame }: TimeFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const read = (field: HTMLInputElement) =>
    onTime(field.value || (field.validity.badInput ? incomplete : undefined));
  /** Browsers report no input as long as the value stays empty. */
  const readEmpty = () => {
    const field = input.current;
    if (field?.value === '' && field.validity.badInput !== (time === incomplete)) read(field);
  };
  // What is half-typed goes with the other changes that are discarded.
  useEffect(() => {
    const field = input.current;
    if (field?.validity.badInput && time === undefined) field.value = '';
  }, [time]);
  return (
    <Field
      {...frame}
      error={
        error && time === incomplete ? 'This time is incomplete. Give hours and minutes, or clear it.' : error
      }
    >
      {(marks) => (
        <input
          ref={input}
          class="input"
          type="time"
          value={time === '24:00' ? '' : (time ?? '')}
          onInput={(event) => read(event.currentTarget)}
          onBlur={readEmpty}
          onKeyDown={(event) => {
            if (isSavingKey(event)) readEmpty();
          }}
          {...marks}
        />
      )}
    </Field>
  );
}
