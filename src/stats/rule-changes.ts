import { dayLength, hourLength } from '../rules/durations.ts';
import { formatIso } from '../rules/instant.ts';
import type { Queries } from '../storage/schema.ts';
import { findSetting } from '../storage/settings.ts';
import type { Range } from './range.ts';

/** An instant from which on clicks or visitors are counted by new rules. */
export interface RuleChange {
  readonly at: string;
  readonly rule: 'repeats' | 'visitors';
  readonly sentence: string;
}

/** When this store began to count by the current rules; null if it always has. */
export async function rulesChangedAt(queries: Queries): Promise<number | null> {
  const text = await findSetting(queries, 'counting_rules_changed_at');
  return text === null ? null : Number(text);
}

/** Since when roll-ups count `utm_term` and `utm_content`; 0 for always. */
export const termsCountedSince = async (queries: Queries): Promise<number> =>
  Number((await findSetting(queries, 'utm_terms_counted_since')) ?? 0);

/**
 * The first hour for which visitors are counted by the hour of their first click of the day. Before that they are counted by UTC
 * day; the day of the change itself is mixed, and shown as a day.
 */
export const visitorsByHourSince = (changedAt: number | null): number =>
  changedAt === null ? 0 : (Math.floor(changedAt / dayLength) + 1) * (dayLength / hourLength);

const repeats =
  'From here on, what a browser sends twice within two seconds (or another time that is set) is one click; before, a second visit from one address and user agent within ten seconds was none. Machines are recognised by more signs than before, and floods are counted separately.';
const visitors =
  'From here on, a visitor counts in the hour of their first click of the day (UTC). Before, the visitors of a UTC day are shown where its noon is.';

/** The changes within the range, in order. */
export function ruleChangesIn({ from, to }: Range, changedAt: number | null): readonly RuleChange[] {
  if (changedAt === null) return [];
  const changes = [
    { at: changedAt, rule: 'repeats', sentence: repeats },
    { at: visitorsByHourSince(changedAt) * hourLength, rule: 'visitors', sentence: visitors },
  ] as const;
  return changes
    .filter(({ at }) => at > from && at < to)
    .map((change) => ({ ...change, at: formatIso(change.at) }));
}
