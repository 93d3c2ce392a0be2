import type { RuleFinding } from '../../../../rules/link-rules/rule-findings.ts';
import { instant } from '../../../format.ts';
import { nameOf } from '../../../stats/value-names.ts';
import { type Condition, type ConditionKey, conditionLabels, isForEverybody, type Rule } from './rule.ts';
import { listed, phraseOf } from './sentences.ts';
import { isChosenKey } from './value-choices.ts';

const valueName = (key: ConditionKey, value: string): string =>
  key === 'referrer' || isChosenKey(key) ? nameOf(key, value) : value;

function excludedInWords({ key, values, isAll }: Extract<RuleFinding, { kind: 'excluded' }>): string {
  if (values.length === 0)
    return key === 'query' || key === 'hours'
      ? `Never matches: the same ${key === 'query' ? 'parameters' : 'hours'} are both required and excluded.`
      : `Never matches: every ${conditionLabels[key].toLowerCase()} is excluded.`;
  const names = listed(
    values.map((value) => valueName(key, value)),
    'and',
  );
  const contradiction = `${names} ${values.length === 1 ? 'is' : 'are'} both required and excluded`;
  return isAll ? `Never matches: ${contradiction}.` : `${contradiction}, which never matches.`;
}

const rulesNamed = (indexes: readonly number[]): string =>
  `${indexes.length === 1 ? 'rule' : 'rules'} ${listed(
    indexes.map((index) => String(index + 1)),
    'and',
  )}`;

/** The text of a finding about a rule, for people who can fix it. */
export function findingInWords(finding: RuleFinding, rules: readonly Rule[]): string {
  switch (finding.kind) {
    case 'reversed':
      return 'Never matches: it ends before it begins.';
    case 'over':
      return `It doesn't match any more: it ended on ${instant(new Date(finding.at).toISOString())}.`;
    case 'excluded':
      return excludedInWords(finding);
    case 'never_reached': {
      const first = rules[finding.by[0] ?? 0];
      return first && isForEverybody(first)
        ? `Never reached: ${rulesNamed(finding.by)} is for everybody, and comes first.`
        : `Never reached: all its visitors are redirected by ${rulesNamed(finding.by)}, which ${finding.by.length === 1 ? 'comes' : 'come'} first.`;
    }
    case 'partly_reached': {
      const condition = { key: finding.key, isNegated: false, value: finding.values } as Condition;
      return `If the visitor ${phraseOf(condition)}, ${rulesNamed([finding.by])} comes first.`;
    }
  }
}
