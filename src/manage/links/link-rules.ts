import { asUri } from '../../rules/destinations/destination-text.ts';
import { invalidField, Refusal } from '../../rules/errors.ts';
import {
  maxRulesText,
  type RuleConditions,
  type RuleFields,
  readRules,
  type VariantFields,
} from '../../rules/link-rules/rule-fields.ts';
import type { Context } from '../context.ts';
import { destinationIn, type FoundDestination } from '../destinations/require-destination.ts';
import type { FieldRefusals } from '../field-refusals.ts';

export interface RuleInput {
  readonly id?: string | undefined;
  readonly name?: string | null | undefined;
  readonly when: RuleConditions;
  readonly destination_url?: string | undefined;
  readonly variants?: readonly VariantInput[] | undefined;
  readonly sticky?: boolean | undefined;
}

interface VariantInput {
  readonly id?: string | undefined;
  readonly destination_url: string;
  readonly weight: number;
}

interface CheckedRules {
  /** As they are stored; null if there are none. */
  readonly text: string | null;
  readonly destinations: readonly FoundDestination[];
}

/** Every destination is checked like that of the link. */
export function checkRules(
  context: Context,
  rules: readonly RuleInput[],
  refusals: FieldRefusals,
): CheckedRules {
  refuseUnknownPlaces(rules, context.placesKnown, refusals);
  const destinations: FoundDestination[] = [];
  const find = (url: string, field: string): string => {
    const found = refusals.check(() => destinationIn(context, field)(url));
    if (found) destinations.push(found);
    return found?.text ?? '';
  };
  const isIdTaken = refuseDuplicateIds(rules, 'rules', refusals);
  const newId = (): string => {
    const id = `r_${context.randomSuffix().toLowerCase().slice(0, 5)}`;
    return isIdTaken(id) ? newId() : id;
  };
  const stored = rules.map((rule, index): RuleFields => {
    const field = `rules.${index}`;
    const base = { id: rule.id ?? newId(), name: rule.name || null, when: rule.when };
    return rule.variants === undefined
      ? { ...base, destination_url: find(rule.destination_url ?? '', `${field}.destination_url`) }
      : {
          ...base,
          sticky: rule.sticky !== false,
          variants: variantsOf(rule.variants, `${field}.variants`, find, refusals),
        };
  });
  const text = stored.length === 0 ? null : JSON.stringify(stored);
  if (text !== null && text.length > maxRulesText)
    refusals.add(
      new Refusal(
        'FIELD_TOO_LONG',
        `The rules of a link have at most ${maxRulesText.toLocaleString('en')} characters together. Shorten lists or addresses.`,
        { field: 'rules' },
      ),
    );
  return { text, destinations };
}

/** The country file is only checked if a rule has a condition that not every file supports. */
function refuseUnknownPlaces(
  rules: readonly RuleInput[],
  placesKnown: Context['placesKnown'],
  refusals: FieldRefusals,
): void {
  for (const [index, { when }] of rules.entries())
    for (const [conditions, path] of [
      [when, 'when'],
      [when.not, 'when.not'],
    ] as const)
      for (const [key, kind] of [
        ['region', 'regions'],
        ['city', 'cities'],
      ] as const)
        if (conditions?.[key] !== undefined && !placesKnown()[kind])
          refusals.add(
            new Refusal(
              'CONDITION_UNAVAILABLE',
              `Rules by ${key} need a COUNTRY_FILE with ${kind}, and this instance has none. Take the condition out.`,
              { field: `rules.${index}.${path}.${key}` },
            ),
          );
}

function variantsOf(
  variants: readonly VariantInput[],
  field: string,
  find: (url: string, field: string) => string,
  refusals: FieldRefusals,
): VariantFields[] {
  const isIdTaken = refuseDuplicateIds(variants, field, refusals);
  const letters = [...'abcdefghijklmnopqrst'].filter((letter) => !isIdTaken(letter));
  return variants.map(({ id, destination_url, weight }, index) => ({
    id: id ?? letters.shift() ?? String(index),
    destination_url: find(destination_url, `${field}.${index}.destination_url`),
    weight,
  }));
}

/** Returns a function that reports whether an id is taken, and takes it if not. */
function refuseDuplicateIds(
  entries: readonly { readonly id?: string | undefined }[],
  field: string,
  refusals: FieldRefusals,
) {
  const ids = new Set<string>();
  for (const [index, { id }] of entries.entries()) {
    if (id === undefined) continue;
    if (ids.has(id))
      refusals.add(
        invalidField(
          `${field}.${index}.id`,
          `The id "${id}" is there twice. Leave one out to get a new one.`,
        ),
      );
    ids.add(id);
  }
  return (id: string): boolean => {
    if (ids.has(id)) return true;
    ids.add(id);
    return false;
  };
}

/** As they are answered. */
export const rulesOf = (text: string | null): readonly RuleFields[] =>
  readRules(text).map((rule) => ({
    ...rule,
    ...(rule.destination_url !== undefined && { destination_url: asUri(rule.destination_url) }),
    ...(rule.variants && {
      variants: rule.variants.map((variant) => ({
        ...variant,
        destination_url: asUri(variant.destination_url),
      })),
    }),
  }));
