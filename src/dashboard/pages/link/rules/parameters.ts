import type { Condition } from './rule.ts';

export type Parameters = Condition<'query'>['value'];
export type Parameter = readonly [name: string, values: readonly string[]];

/** The parameters in the order in which they are shown. An object has names that are numbers first, even while they are typed. */
export function entriesInOrder(value: Parameters, shown: readonly string[]): readonly Parameter[] {
  const entries = Object.entries(value);
  const isShown = entries.length === shown.length && entries.every(([name]) => shown.includes(name));
  return isShown ? shown.map((name) => [name, value[name] ?? []]) : entries;
}
