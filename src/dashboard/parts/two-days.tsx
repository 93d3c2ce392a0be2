import type { Signal } from '@preact/signals';
import type { ApiError } from '../api-error.ts';
import { FormField } from './form.tsx';

export const daysAreReversed = 'The first day is after the last. Swap them.';

/** Whether both days are chosen, and the first is not after the last. */
export const areDays = (from: string, to: string): boolean => from !== '' && to !== '' && from <= to;

interface DayFieldProps {
  readonly label: string;
  readonly signal: Signal<string>;
  readonly error?: string | null | undefined;
}

/** A day that statistics can have. Without a last one browsers accept years of six digits. */
export const DayField = (props: DayFieldProps) => (
  <FormField type="date" min="1980-01-01" max="9999-12-31" {...props} />
);

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
      <DayField
        label="From"
        signal={from}
        error={isReversed ? daysAreReversed : error?.sentenceFor('from')}
      />
      <DayField label="To" signal={to} error={error?.sentenceFor('to')} />
    </div>
  );
}
