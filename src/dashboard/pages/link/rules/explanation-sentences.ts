import type { Weekday } from '../../../../rules/link-rules/rule-fields.ts';
import type { LinkExplanation } from '../../../api-types.ts';
import { instant } from '../../../format.ts';
import { nameOf } from '../../../stats/value-names.ts';
import { conditionsOf, type Rule } from './rule.ts';
import { dayNames, deviceWords, phraseOf, placeName, titleOf } from './sentences.ts';

type Step = LinkExplanation['steps'][number];
type Check = Extract<Step, { check: unknown }>['check'];

interface StepInWords {
  readonly passed: boolean;
  readonly sentence: string;
  /** For a rule: its conditions, and the visitor's values that were compared. */
  readonly conditions: readonly {
    readonly isMatched: boolean;
    readonly phrase: string;
    readonly visitorValue: string;
  }[];
}

const checks: Readonly<Record<Check, readonly [passed: string, failed: string]>> = {
  enabled: ['The link is not disabled.', 'The link is disabled.'],
  started: ['It has started.', "It hasn't started yet."],
  not_ended: ["It hasn't ended.", 'It has ended.'],
  clicks_left: ['Its limit has clicks left.', 'Its limit has no clicks left.'],
  no_bot: ['The visitor is no bot.', 'The visitor is a bot.'],
  password: ['The visitor knows the password.', 'The password is asked for.'],
  android: ['The visitor is on Android.', "The visitor isn't on Android."],
  ios: ['The visitor is on an iPhone or iPad.', "The visitor isn't on an iPhone or iPad."],
  captcha: ['The visitor passed the captcha.', 'The captcha is asked for.'],
};

const visitorValueInWords = (key: string, value: string): string => {
  if (key === 'country') return placeName(value);
  if (key === 'language') return nameOf('language', value);
  if (key === 'hours') return value.replace(/^\w+/, (day) => dayNames[day as Weekday] ?? day);
  if (key === 'from' || key === 'to') return instant(value);
  if (key === 'device') return deviceWords[value] ?? value;
  return value === '' ? 'none' : value;
};

export function stepInWords(step: Step, rules: readonly Rule[]): StepInWords {
  if ('check' in step)
    return { passed: step.passed, sentence: checks[step.check][step.passed ? 0 : 1], conditions: [] };
  const index = rules.findIndex(({ id }) => id === step.rule);
  const rule = rules[index];
  const title = rule ? titleOf(rule, index) : `rule ${step.rule}`;
  const fits = step.matched ? 'fits' : "doesn't fit";
  const ruleConditions = rule ? conditionsOf(rule.when) : [];
  return {
    passed: step.matched,
    sentence: `${title.replace(/^r/, 'R')}${rule?.name ? ',' : ''} ${fits}${rule && ruleConditions.length === 0 ? ': it is for everybody' : ''}.`,
    conditions: step.conditions.map(({ key, not, matched, saw }) => {
      const condition = ruleConditions.find((other) => other.key === key && other.isNegated === not);
      return {
        isMatched: matched,
        phrase: condition ? phraseOf(condition) : key,
        visitorValue: visitorValueInWords(key, saw),
      };
    }),
  };
}

/** The text before the address that the visitor is sent to; the whole text if there is none. */
export function outcomeInWords(
  { outcome, to, destination, rule, variant }: LinkExplanation,
  rules: readonly Rule[],
): string {
  switch (outcome) {
    case 'redirect': {
      const index = rules.findIndex(({ id }) => id === rule);
      const matchedRule = rules[index];
      if (matchedRule)
        return `By ${titleOf(matchedRule, index)}${variant === null ? '' : ` (its destination ${variant})`}, the visitor goes to`;
      if (destination === 'android') return 'No rule fits: the visitor goes to the destination on Android,';
      if (destination === 'ios')
        return 'No rule fits: the visitor goes to the destination on iPhone and iPad,';
      return rules.length === 0 ? 'The visitor goes to' : 'No rule fits: the visitor goes to';
    }
    case 'not_started':
      return to === null
        ? 'The visitor sees when the link starts.'
        : "It hasn't started: the visitor goes to";
    case 'expired':
      return to === null ? 'The visitor sees that the link has ended.' : 'It has ended: the visitor goes to';
    case 'preview':
      return 'The visitor is shown the preview card.';
    case 'refused':
      return 'The visitor is refused as a bot.';
    case 'ask_password':
      return 'The visitor is asked for the password.';
    case 'ask_captcha':
      return 'The visitor is shown the captcha.';
  }
}
