import { counted } from '../format.ts';

/** 95 % of a normal distribution are within this many standard deviations. */
const deviations = 1.96;

/** The interval that contains the true share with 95 % probability (Wilson): it works for few visitors, too. */
export function wilsonInterval(part: number, whole: number): readonly [low: number, high: number] {
  const square = deviations ** 2;
  const share = part / whole;
  const middle = share + square / (2 * whole);
  const reach = deviations * Math.sqrt((share * (1 - share)) / whole + square / (4 * whole ** 2));
  const scale = 1 + square / whole;
  return [Math.max(0, (middle - reach) / scale), Math.min(1, (middle + reach) / scale)];
}

const oneDecimal = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const percent = (share: number): string => oneDecimal.format(share * 100);

/** "70.2 % of 1,204 visitors, likely between 67.5 and 72.7 %". */
export function shareSentence(visitors: number, all: number): string {
  const [low, high] = wilsonInterval(visitors, all);
  return `${percent(visitors / all)}\u00a0% of ${counted(all, 'visitor')}, likely between ${percent(low)} and ${percent(high)}\u00a0%`;
}
