import type { Signal } from '@preact/signals';
import type { ApiError } from '../api-error.ts';
import { FormField } from './form.tsx';

export const earliestDay = '1980-01-01';
/** Without it browsers accept years of six digits. */
export const latestDay = '9999-12-31';
export const daysAreReversed = 'The first day is after the last. Swap them.';

/** Whether both days are chosen, and the first is not after the last. */
export const areDays = (from: string, to: string): boolean => from !== '' && to !== '' && from <= to;

interface TwoDaysProps {
  readonly from: Signal<string>;
  readonly to: Signal<string>;
  /** The error of the API, whose fields are named `from` and `to`. */
  readonly error: ApiError | null;
}

/** The first and the last day of a time range. */
export function TwoDays({ from, to, error }: TwoDaysProps) {
  const isReversed = to.value !== '' && from.value > to.value;
  return (
    <div class="two-days">
      <FormField
        label="From"
        type="date"
        min={earliestDay}
        max={latestDay}
        signal={from}
        error={isReversed ? daysAreReversed : error?.sentenceFor('from')}
      />
      <FormField
        label="To"
        type="date"
        min={earliestDay}
        max={latestDay}
        signal={to}
        error={error?.sentenceFor('to')}
      />
    </div>
  );
}
