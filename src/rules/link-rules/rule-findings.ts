import {
  covers,
  coversHours,
  coversList,
  coversQuery,
  excludedIn,
  excludesEveryone,
  type ListKey,
  listKeys,
  spanOf,
} from './rule-coverage.ts';
import type { ConditionKey, PlainConditions, RuleConditions } from './rule-fields.ts';

/** What can't happen because of the order of a link's rules, or a rule's own conditions. */
export type RuleFinding =
  /** It ends before it begins. */
  | { readonly kind: 'reversed' }
  /** Its end has passed; in milliseconds. */
  | { readonly kind: 'over'; readonly at: number }
  /** Values that are both accepted and excluded; `isAll`: no value is left. */
  | {
      readonly kind: 'excluded';
      readonly key: ConditionKey;
      readonly values: readonly string[];
      readonly isAll: boolean;
    }
  /** Earlier rules, by their indexes, match all of its visitors. */
  | { readonly kind: 'never_reached'; readonly by: readonly number[] }
  /** An earlier rule matches those of its visitors who have these values. */
  | {
      readonly kind: 'partly_reached';
      readonly key: ListKey;
      readonly values: readonly string[];
      readonly by: number;
    };

interface Rule {
  readonly when: RuleConditions;
}

/** The findings for each rule. An unfinished rule has none. */
export function findingsOf(rules: readonly Rule[], now: number): readonly (readonly RuleFinding[])[] {
  return rules.map(({ when }, index): readonly RuleFinding[] => {
    if (!isFinished(when) || !isFinished(when.not ?? {})) return [];
    const own = ownFindings(when, now);
    if (own.some(isFinal)) return own.filter(isFinal).slice(0, 1);
    const earlier = rules.slice(0, index).map((rule) => rule.when);
    const first = earlier.findIndex((other) => covers(other, when));
    return [
      ...own,
      ...(first >= 0 ? [{ kind: 'never_reached' as const, by: [first] }] : partlyReached(earlier, when)),
    ];
  });
}

/** The first rule that matches everybody; -1 for none. Rules after it are never reached. */
export const firstUnconditionalRule = (rules: readonly Rule[]): number =>
  rules.findIndex(({ when }) => covers(when, {}));

/** Whether a rule with this finding matches nobody. */
const isFinal = (finding: RuleFinding): boolean =>
  finding.kind === 'reversed' || finding.kind === 'over' || (finding.kind === 'excluded' && finding.isAll);

const isFinished = (conditions: PlainConditions): boolean =>
  listKeys.every((key) => conditions[key]?.length !== 0) &&
  conditions.from !== '' &&
  conditions.to !== '' &&
  (conditions.query === undefined || !Object.keys(conditions.query).every((name) => name === ''));

function ownFindings(when: RuleConditions, now: number): readonly RuleFinding[] {
  const [start, end] = spanOf(when);
  const findings: RuleFinding[] = [];
  if (start >= end) findings.push({ kind: 'reversed' });
  else if (end <= now) findings.push({ kind: 'over', at: end });
  for (const key of listKeys) {
    const [values, isAll] = [excludedIn(key, when), excludesEveryone(key, when)];
    if (isAll || values.length > 0) findings.push({ kind: 'excluded', key, values, isAll });
  }
  const { query, hours, not } = when;
  if (query && not?.query && coversQuery(not.query, query))
    findings.push({ kind: 'excluded', key: 'query', values: [], isAll: true });
  if (hours && not?.hours && coversHours(not.hours, hours))
    findings.push({ kind: 'excluded', key: 'hours', values: [], isAll: true });
  return findings;
}

const without = ({ not, ...when }: RuleConditions, key: ListKey): RuleConditions => {
  const rest = { ...when, [key]: undefined };
  return not ? { ...rest, not: { ...not, [key]: undefined } } : rest;
};

/** The values of one list that earlier rules match; together they may leave nothing. */
function partlyReached(earlier: readonly RuleConditions[], when: RuleConditions): readonly RuleFinding[] {
  const findings: RuleFinding[] = [];
  for (const key of listKeys) {
    const values = (when[key] ?? []).filter((value) => !excludedIn(key, when).includes(value));
    const taken = new Set<string>();
    const ofKey: { readonly by: number; readonly values: readonly string[] }[] = [];
    for (const [by, other] of earlier.entries()) {
      if (values.length < 2 || !covers(without(other, key), when)) continue;
      const fresh = values.filter(
        (value) => !taken.has(value) && coversList(key, other, { ...when, [key]: [value] }),
      );
      for (const value of fresh) taken.add(value);
      if (fresh.length > 0) ofKey.push({ by, values: fresh });
    }
    if (ofKey.length > 0 && taken.size === values.length)
      return [{ kind: 'never_reached', by: ofKey.map(({ by }) => by) }];
    findings.push(...ofKey.map((part) => ({ kind: 'partly_reached' as const, key, ...part })));
  }
  return findings;
}
