import { eachField } from '../../../../rules/click-fields.ts';
import type { LinkRule } from '../../../api-types.ts';
import { dimensionTexts } from '../../../stats/dimensions.ts';

export type Rule = LinkRule;
export type Variant = NonNullable<Rule['variants']>[number];
type PlainConditions = NonNullable<Rule['when']['not']>;
export type ConditionKey = keyof PlainConditions;
export type Hours = NonNullable<PlainConditions['hours']>;

/** One condition as it is shown: a key may appear twice, required and excluded. */
export interface Condition<Key extends ConditionKey = ConditionKey> {
  readonly key: Key;
  readonly isNegated: boolean;
  readonly value: NonNullable<PlainConditions[Key]>;
}

/** In the order in which they are shown and offered. */
export const conditionLabels: Readonly<Record<ConditionKey, string>> = {
  ...eachField(
    ['country', 'region', 'city', 'device', 'os', 'browser', 'language', 'source', 'referrer'],
    (key) => dimensionTexts[key].one,
  ),
  query: 'Parameters',
  from: 'From',
  to: 'Until',
  hours: 'Hours of the week',
  network: 'Network',
};

const isConditionKey = (text: string): text is ConditionKey => Object.hasOwn(conditionLabels, text);
export const conditionKeys: readonly ConditionKey[] = Object.keys(conditionLabels).filter(isConditionKey);

/** By key, so that a condition keeps its place when it is inverted. */
export const conditionsOf = ({ not = {}, ...when }: Rule['when']): readonly Condition[] =>
  conditionKeys.flatMap((key): Condition[] => {
    const [required, excluded] = [when[key], not[key]];
    return [
      ...(required === undefined ? [] : [{ key, isNegated: false, value: required }]),
      ...(excluded === undefined ? [] : [{ key, isNegated: true, value: excluded }]),
    ];
  });

export const isForEverybody = ({ when }: Rule): boolean => conditionsOf(when).length === 0;

const without = (conditions: PlainConditions, key: ConditionKey): PlainConditions => {
  const { [key]: _, ...rest } = conditions;
  return rest;
};

function whenOf(plain: PlainConditions, not: PlainConditions): Rule['when'] {
  return Object.keys(not).length > 0 ? { ...plain, not } : plain;
}

/** The conditions with one of them set, or removed by an undefined value. */
export function withCondition(
  { not = {}, ...plain }: Rule['when'],
  { key, isNegated }: Pick<Condition, 'key' | 'isNegated'>,
  value: Condition['value'] | undefined,
): Rule['when'] {
  const changed = (conditions: PlainConditions): PlainConditions =>
    value === undefined ? without(conditions, key) : { ...conditions, [key]: value };
  return isNegated ? whenOf(plain, changed(not)) : whenOf(changed(plain), not);
}

/** Inverts a condition; if it exists in both forms, they are swapped. */
export function inverted({ not = {}, ...plain }: Rule['when'], key: ConditionKey): Rule['when'] {
  const [required, excluded] = [plain[key], not[key]];
  const [others, otherNots] = [without(plain, key), without(not, key)];
  return whenOf(
    excluded === undefined ? others : { ...others, [key]: excluded },
    required === undefined ? otherNots : { ...otherNots, [key]: required },
  );
}

/**
 * An id that none of these has. It becomes the API's when it is saved, and the assignment of visitors to variants depends on it.
 */
export function newId(existing: readonly { readonly id: string }[]): string {
  const random = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  const id = `r_${random.toString(36).padStart(7, '0').slice(-5)}`;
  return existing.some((other) => other.id === id) ? newId(existing) : id;
}

/** A variant's id is short, because statistics and webhooks show it. */
export const newVariantId = (existing: readonly Variant[]): string =>
  [...'abcdefghijklmnopqrst'].find((letter) => !existing.some(({ id }) => id === letter)) ?? newId(existing);

export function moved<Entry>(entries: readonly Entry[], from: number, to: number): readonly Entry[] {
  const rest = entries.filter((_, index) => index !== from);
  const entry = entries[from];
  return entry === undefined ? entries : [...rest.slice(0, to), entry, ...rest.slice(to)];
}

/** A rule with one destination, made from one with several, and vice versa. */
export const toDestination = ({ variants, sticky: _, ...rule }: Rule): Rule => ({
  ...rule,
  destination_url: variants?.[0]?.destination_url ?? '',
});

export const toVariants = ({ destination_url = '', ...rule }: Rule): Rule => ({
  ...rule,
  sticky: true,
  variants: [
    { id: 'a', destination_url, weight: 50 },
    { id: 'b', destination_url: '', weight: 50 },
  ],
});

/** The share of each variant in percent, with one decimal if that matters. */
export function sharesOf(variants: readonly Variant[]): readonly number[] {
  const sum = variants.reduce((total, { weight }) => total + weight, 0);
  return variants.map(({ weight }) => (sum === 0 ? 0 : Math.round((weight / sum) * 1000) / 10));
}
