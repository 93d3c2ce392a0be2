import { isWithin, readNetwork } from '../address-rules.ts';
import { sourceIn } from '../click-source.ts';
import { withoutWww } from '../host.ts';
import { cityKey } from '../place.ts';
import { withUnionMembers } from './european-union.ts';
import type { ConditionKey, PlainConditions, RuleConditions } from './rule-fields.ts';
import { hoursCondition } from './rule-hours.ts';
import type { Visitor } from './visitor.ts';

/** A condition of a rule, prepared for evaluation. */
export interface Condition {
  readonly key: ConditionKey;
  readonly isNegated: boolean;
  /** The compared value of the visitor, as text. */
  readonly saw: (visitor: Visitor, now: number) => string;
  /** Before the negation. */
  readonly matches: (visitor: Visitor, now: number) => boolean;
}

export const isMet = ({ matches, isNegated }: Condition, visitor: Visitor, now: number): boolean =>
  matches(visitor, now) !== isNegated;

export function conditionsIn({ not, ...when }: RuleConditions): Condition[] {
  const plain = (conditions: PlainConditions, isNegated: boolean): Condition[] =>
    factories.flatMap((create) => {
      const condition = create(conditions);
      return condition === null ? [] : { ...condition, isNegated };
    });
  return [...plain(when, false), ...(not ? plain(not, true) : [])];
}

type UnnegatedCondition = Omit<Condition, 'isNegated'> | null;

/** The most expensive conditions come last. */
const factories: readonly ((conditions: PlainConditions) => UnnegatedCondition)[] = [
  ({ from }) => (from === undefined ? null : instantCondition('from', from, (now, start) => now >= start)),
  ({ to }) => (to === undefined ? null : instantCondition('to', to, (now, end) => now < end)),
  ({ source }) => listed('source', source, (visitor) => sourceIn(visitor.search())),
  ({ query }) => (query === undefined ? null : queryCondition(query)),
  ({ language }) => (language === undefined ? null : languageCondition(language)),
  ({ device }) => listed('device', device, (visitor) => visitor.traits().device),
  ({ os }) => listed('os', os, (visitor) => visitor.traits().os),
  ({ browser }) => listed('browser', browser, (visitor) => visitor.traits().browser),
  ({ referrer }) => (referrer === undefined ? null : referrerCondition(referrer)),
  ({ country }) => listed('country', country && withUnionMembers(country), (visitor) => visitor.country()),
  ({ region }) => listed('region', region, (visitor) => visitor.region()),
  ({ city }) => (city === undefined ? null : cityCondition(city)),
  ({ network }) => (network === undefined ? null : networkCondition(network)),
  ({ hours }) => (hours === undefined ? null : { key: 'hours', ...hoursCondition(hours) }),
];

function listed(
  key: ConditionKey,
  values: readonly string[] | undefined,
  saw: (visitor: Visitor) => string,
): UnnegatedCondition {
  if (values === undefined) return null;
  const accepted = new Set(values);
  return { key, saw, matches: (visitor) => accepted.has(saw(visitor)) };
}

function instantCondition(
  key: 'from' | 'to',
  text: string,
  matches: (now: number, instant: number) => boolean,
): UnnegatedCondition {
  const instant = Date.parse(text);
  return { key, saw: (_, now) => new Date(now).toISOString(), matches: (_, now) => matches(now, instant) };
}

function cityCondition(cities: readonly string[]): UnnegatedCondition {
  const accepted = new Set(cities.map(cityKey));
  const saw = (visitor: Visitor) => visitor.city();
  return { key: 'city', saw, matches: (visitor) => accepted.has(cityKey(saw(visitor))) };
}

function languageCondition(languages: readonly string[]): UnnegatedCondition {
  const accepted = languages.map((language) => {
    const tag = language.toLowerCase();
    return { tag, prefix: `${tag}-` };
  });
  const saw = (visitor: Visitor) => visitor.language();
  const matches = (visitor: Visitor) => {
    const language = saw(visitor);
    return accepted.some(({ tag, prefix }) => language === tag || language.startsWith(prefix));
  };
  return { key: 'language', saw, matches };
}

function referrerCondition(hosts: readonly string[]): UnnegatedCondition {
  const exact = new Set(hosts.filter((host) => !host.startsWith('*.')).map(withoutWww));
  const endings = hosts.filter((host) => host.startsWith('*.')).map((host) => host.slice(1));
  const matches = (visitor: Visitor) => {
    const host = visitor.referrer();
    return exact.has(withoutWww(host)) || endings.some((ending) => host.endsWith(ending));
  };
  return { key: 'referrer', saw: (visitor) => visitor.referrer(), matches };
}

function queryCondition(query: Readonly<Record<string, readonly string[]>>): UnnegatedCondition {
  const accepted = Object.entries(query).map(([name, values]) => [name, new Set(values)] as const);
  const matches = (visitor: Visitor) => {
    if (!mayHave(visitor.search(), accepted)) return false;
    const parameters = visitor.parameters();
    return accepted.every(([name, values]) => {
      const found = parameters.get(name);
      return found !== undefined && (values.size === 0 || found.some((value) => values.has(value)));
    });
  };
  return { key: 'query', saw: (visitor) => visitor.search(), matches };
}

/** Whether a query has to be parsed at all. Names appear in it unchanged, unless something in it is encoded. */
const mayHave = (search: string, accepted: readonly (readonly [name: string, unknown])[]): boolean =>
  search.length > 1 &&
  (search.includes('%') || search.includes('+') || accepted.every(([name]) => search.includes(name)));

function networkCondition(networks: readonly string[]): UnnegatedCondition {
  const ranges = networks.flatMap((text) => {
    const network = readNetwork(text);
    return network === null ? [] : [network];
  });
  const saw = (visitor: Visitor) => visitor.address();
  const matches = (visitor: Visitor) => {
    const address = visitor.parsedAddress();
    return address !== null && ranges.some((range) => isWithin(address, range));
  };
  return { key: 'network', saw, matches };
}
