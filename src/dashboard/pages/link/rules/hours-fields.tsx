import { SelectField, TextField } from '../../../parts/field.tsx';
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
  const { days = weekOrder, from = '', to = '' } = value;
  const toggle = (day: Day) => {
    const chosen = weekOrder.filter((other) => days.includes(other) !== (other === day));
    const { days: _, ...everyDay } = value;
    // Choosing no day would match nobody; choosing all days is the same as naming none.
    if (chosen.length > 0)
      onChange(chosen.length === weekOrder.length ? everyDay : { ...value, days: chosen });
  };
  const setTime = (name: 'from' | 'to') => (time: string) => {
    const { [name]: _, ...rest } = value;
    onChange(time === '' ? rest : { ...rest, [name]: time });
  };
  return (
    <div class="hours-fields">
      <fieldset class="days" aria-label="Days">
        {weekOrder.map((day) => (
          <label key={day} title={dayNames[day]}>
            <input type="checkbox" checked={days.includes(day)} onChange={() => toggle(day)} />
            <span aria-hidden="true">{dayNames[day].slice(0, 2)}</span>
            <span class="unseen">{dayNames[day]}</span>
          </label>
        ))}
      </fieldset>
      <div class="hours-times">
        <TextField
          type="time"
          label="From"
          value={from}
          error={problems.sentenceFor(`${path}.from`)}
          onText={setTime('from')}
        />
        <TextField
          type="time"
          label="Until"
          value={to === '24:00' ? '' : to}
          error={problems.sentenceFor(`${path}.to`)}
          onText={setTime('to')}
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
