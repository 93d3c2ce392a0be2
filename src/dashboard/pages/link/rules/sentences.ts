import { weekdays } from '../../../../rules/link-rules/rule-fields.ts';
import { instant, number } from '../../../format.ts';
import { countryName, nameOf } from '../../../stats/value-names.ts';
import { type Condition, type ConditionKey, conditionsOf, type Hours, type Rule, sharesOf } from './rule.ts';

/** "a or b", "a, b or c"; an ellipsis if nothing was chosen yet. */
export function listed(values: readonly string[], word = 'or'): string {
  if (values.length === 0) return '…';
  return values.length === 1 ? `${values[0]}` : `${values.slice(0, -1).join(', ')} ${word} ${values.at(-1)}`;
}

const withArticle =
  /^(?:United |European Union|Netherlands|Philippines|Bahamas|Gambia|Maldives|Comoros|Dominican Republic|Central African|Isle of|British |French S|.* Islands$|.* Territor)/;

export function placeName(code: string): string {
  if (code === 'XX') return 'an unknown country';
  const name = countryName(code);
  return withArticle.test(name) ? `the ${name}` : name;
}

export const deviceWords: Readonly<Record<string, string>> = {
  desktop: 'a desktop or laptop',
  mobile: 'a phone',
  tablet: 'a tablet',
  tv: 'a television',
  other: 'another device',
};

const sourceWords: Readonly<Record<string, readonly [does: string, doesNot: string]>> = {
  link: ['follows the link', "doesn't follow the link"],
  qr: ['scans the QR code', "doesn't scan the QR code"],
};

const hostWords = (host: string): string => {
  if (host === '') return 'no page';
  return host.startsWith('*.') ? `a host below ${host.slice(2)}` : host;
};

const parameterWords = ([name, values]: readonly [string, readonly string[]]): string =>
  values.length === 0 ? `the parameter ${name || '…'}` : `${name || '…'}=${listed(values)}`;

/** The days of the week, from Monday on. */
export const weekOrder = [...weekdays.slice(1), ...weekdays.slice(0, 1)];
export const dayNames: Readonly<Record<(typeof weekdays)[number], string>> = {
  mo: 'Monday',
  tu: 'Tuesday',
  we: 'Wednesday',
  th: 'Thursday',
  fr: 'Friday',
  sa: 'Saturday',
  su: 'Sunday',
};

/** "Monday to Friday", "Monday or Thursday". */
function daysInWords(days: NonNullable<Hours['days']>): string {
  const chosen = weekOrder.filter((day) => days.includes(day));
  const names = chosen.map((day) => dayNames[day]);
  const first = weekOrder.indexOf(chosen[0] ?? 'mo');
  const isRange = chosen.length > 2 && chosen.every((day, index) => weekOrder[first + index] === day);
  return isRange ? `${names[0]} to ${names.at(-1)}` : listed(names);
}

function hoursInWords({ timezone, days, from, to }: Hours): string {
  const on = days === undefined ? 'on any day' : `on ${daysInWords(days)}`;
  const isWholeDay = from === undefined && to === undefined;
  const at = isWholeDay ? '' : ` between ${from || '00:00'} and ${to || '24:00'}`;
  return `${on}${at} (${timezone})`;
}

type Phrases = {
  readonly [Key in ConditionKey]: (value: Condition<Key>['value'], isNegated: boolean) => string;
};

const phrases: Phrases = {
  country: (codes, not) => `is ${not ? 'not ' : ''}in ${listed(codes.map(placeName))}`,
  region: (codes, not) => `is ${not ? 'not ' : ''}in ${listed(codes)}`,
  city: (names, not) => `is ${not ? 'not ' : ''}in ${listed(names)}`,
  device: (kinds, not) =>
    `is ${not ? 'not ' : ''}on ${listed(kinds.map((kind) => deviceWords[kind] ?? kind))}`,
  os: (names, not) => `${not ? "doesn't use" : 'uses'} ${listed(names)}`,
  browser: (names, not) => `${not ? "doesn't browse" : 'browses'} with ${listed(names)}`,
  language: (tags, not) =>
    `${not ? "doesn't read" : 'reads'} ${listed(tags.map((tag) => nameOf('language', tag)))}`,
  source: (sources, not) =>
    listed(
      sources.map((source) => sourceWords[source]?.[not ? 1 : 0] ?? source),
      not ? 'and' : 'or',
    ),
  referrer: (hosts, not) => `${not ? "doesn't come" : 'comes'} from ${listed(hosts.map(hostWords))}`,
  query: (parameters, not) =>
    `${not ? "doesn't come" : 'comes'} with ${listed(Object.entries(parameters).map(parameterWords), 'and')}`,
  from: (at, not) => `comes ${not ? 'before' : 'from'} ${at ? instant(at) : '…'}${not ? '' : ' on'}`,
  to: (at, not) => `comes ${not ? 'from' : 'before'} ${at ? instant(at) : '…'}${not ? ' on' : ''}`,
  hours: (hours, not) => `${not ? "doesn't come" : 'comes'} ${hoursInWords(hours)}`,
  network: (networks, not) => `${not ? 'has no' : 'has an'} address in ${listed(networks)}`,
};

/** A condition in words: "is in Germany or Austria". */
export function phraseOf<Key extends ConditionKey>({ key, value, isNegated }: Condition<Key>): string {
  return phrases[key](value, isNegated);
}

/** The part before "go to": "If the visitor is in Germany on a phone, and doesn't read English". */
export function conditionInWords(rule: Rule, hasEarlier: boolean): string {
  const conditions = conditionsOf(rule.when);
  if (conditions.length === 0) return hasEarlier ? 'Everybody else' : 'Everybody';
  const clauses: string[] = [];
  for (const [index, condition] of conditions.entries()) {
    const before = conditions[index - 1];
    // "is in Germany on a phone" instead of "is in Germany, and is on a phone".
    const isJoined =
      condition.key === 'device' && !condition.isNegated && before?.key === 'country' && !before.isNegated;
    const phrase = phraseOf(condition);
    if (isJoined) clauses.push(`${clauses.pop()} ${phrase.replace(/^is /, '')}`);
    else clauses.push(phrase);
  }
  const all =
    clauses.length === 1 ? `${clauses[0]}` : `${clauses.slice(0, -1).join(', ')}, and ${clauses.at(-1)}`;
  return `If the visitor ${all}`;
}

export const shareInWords = (share: number): string => `${number(share)} %`;

export const stickyInWords = ({ sticky }: Rule): string =>
  sticky === false ? 'At random for each visit.' : 'A visitor gets the same one all day.';

function destinationInWords({ destination_url, variants }: Rule): string {
  if (!variants) return destination_url || '…';
  const shares = sharesOf(variants);
  return listed(
    variants.map(
      (variant, index) => `${variant.destination_url || '…'} (${shareInWords(shares[index] ?? 0)})`,
    ),
  );
}

/** The whole rule on one line. */
export function ruleInWords(rule: Rule, hasEarlier: boolean): string {
  const name = rule.name ? `${rule.name}: ` : '';
  return `${name}${conditionInWords(rule, hasEarlier)}: go to ${destinationInWords(rule)}`;
}

/** All rules, one on each line. */
export const rulesInWords = (rules: readonly Rule[]): string =>
  rules.map((rule, index) => `${index + 1}. ${ruleInWords(rule, index > 0)}`).join('\n');

/** A rule's name in messages. */
export const titleOf = (rule: Rule, index: number): string =>
  rule.name ? `rule ${index + 1}, “${rule.name}”` : `rule ${index + 1}`;
