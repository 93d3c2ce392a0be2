import { compact, number } from '../format.ts';

export interface BarValue {
  /** The API's value; '' for the hits that have none. */
  readonly value: string;
  readonly name: string;
  readonly hits: number;
}

interface BarsProps {
  readonly values: readonly BarValue[];
  readonly total: number;
  readonly chosen: string | undefined;
  readonly noun: string;
  readonly onChoose: (value: string) => void;
}

/** Values with bars relative to the largest; pressing one filters by it. */
export function Bars({ values, total, chosen, noun, onChoose }: BarsProps) {
  const largest = Math.max(1, ...values.map(({ hits }) => hits));
  return (
    <ol class={chosen === undefined ? 'bars' : 'bars has-chosen'}>
      {values.map(({ value, name, hits }) => (
        <li key={value}>
          <button
            type="button"
            class="bar beside"
            aria-pressed={value === chosen}
            title={`${name}: ${number(hits)} ${noun}`}
            style={{ '--share': String(hits / largest) }}
            onClick={() => onChoose(value)}
          >
            <span class="bar-name cut" dir="auto">
              {name}
            </span>
            <span class="soft small">{shareOf(hits, total)}</span>
            <span class="bar-hits">{compact(hits)}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

function shareOf(hits: number, total: number): string {
  if (total <= 0) return '';
  const share = (hits / total) * 100;
  return share > 0 && share < 1 ? '<\u00a01\u00a0%' : `${Math.round(share)}\u00a0%`;
}
