import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { dayOf } from '../format.ts';
import { toggle } from '../handlers.ts';
import { Button } from '../parts/button.tsx';
import { DayField, daysAreReversed } from '../parts/two-days.tsx';
import { setQuery } from '../router.ts';
import { defaultRange, labelOf, type Range, rollingNames, writtenRange } from './range.ts';

/** Chooses the span of time. */
export function RangePicker({ range }: { range: Range }) {
  const isOpen = useSignal(false);
  const choose = (next: Range) => {
    isOpen.value = false;
    setQuery({ range: writtenRange(next) });
  };
  const isCustom = range.kind === 'custom';
  const names = useRef<HTMLFieldSetElement>(null);
  // On a phone the row is longer than the screen.
  useEffect(() => {
    const row = names.current;
    const chosen = row?.querySelector<HTMLElement>('[aria-pressed="true"]');
    if (row && chosen)
      row.scrollLeft = chosen.offsetLeft - row.offsetLeft - (row.clientWidth - chosen.offsetWidth) / 2;
  }, [writtenRange(range)]);
  return (
    <div class="stats-range">
      <fieldset ref={names} class="segments stats-range-names">
        <legend class="unseen">Period</legend>
        {rollingNames.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={!isCustom && range.name === name}
            onClick={() => choose({ kind: 'rolling', name })}
          >
            {labelOf(name)}
          </button>
        ))}
        <button
          type="button"
          aria-pressed={isCustom}
          aria-expanded={isOpen.value || isCustom}
          onClick={toggle(isOpen)}
        >
          Custom
        </button>
      </fieldset>
      {(isOpen.value || isCustom) && (
        <CustomRange
          key={writtenRange(range)}
          range={range}
          onChoose={choose}
          onDrop={() => choose(defaultRange)}
        />
      )}
    </div>
  );
}

interface CustomRangeProps {
  readonly range: Range;
  readonly onChoose: (range: Range) => void;
  readonly onDrop: () => void;
}

/** The API answers with at most 1,000 points, which are months then. */
const maxYears = 80;
const yearOf = (day: string): number => Number(day.slice(0, 4));

function problemOf(from: string, to: string): string | null {
  if (from === '' || to === '') return 'Choose both days.';
  if (from > to) return daysAreReversed;
  return yearOf(to) - yearOf(from) > maxYears ? 'These days are too far apart. Check their years.' : null;
}

function CustomRange({ range, onChoose, onDrop }: CustomRangeProps) {
  const today = dayOf(new Date());
  const from = useSignal(range.kind === 'custom' ? range.from : today);
  const to = useSignal(range.kind === 'custom' ? range.to : today);
  const error = useSignal<string | null>(null);
  return (
    <form
      class="stats-range-custom"
      onSubmit={(event) => {
        event.preventDefault();
        error.value = problemOf(from.value, to.value);
        if (error.value === null) onChoose({ kind: 'custom', from: from.value, to: to.value });
      }}
    >
      <DayField label="From" signal={from} error={error.value} />
      <DayField label="To" signal={to} />
      <div class="actions">
        <Button type="submit">Show these days</Button>
        {range.kind === 'custom' && (
          <Button kind="plain" onClick={onDrop}>
            Back to 30 days
          </Button>
        )}
      </div>
    </form>
  );
}
