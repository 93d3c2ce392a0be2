import { isPlainUrl, locationOf } from '../destinations/destination-text.ts';
import { type Condition, conditionsIn, isMet } from './rule-conditions.ts';
import { type RuleFields, readRules } from './rule-fields.ts';
import { seedOf, type Variant, variantBy, variantFor } from './rule-variants.ts';
import type { Visitor } from './visitor.ts';

export interface LinkRule {
  readonly id: string;
  readonly conditions: readonly Condition[];
  /** Null if there are variants. */
  readonly to: string | null;
  readonly variants: readonly Variant[];
  readonly isSticky: boolean;
}

/** The rules of a link, in their order. */
export interface LinkRules {
  readonly rules: readonly LinkRule[];
  readonly hasUnsafeUrl: boolean;
  /** The length of the text that they were parsed from. */
  readonly length: number;
}

/** Null if there are none. */
export function linkRulesOf(linkId: number, text: string | null): LinkRules | null {
  const stored = readRules(text);
  if (text === null || stored.length === 0) return null;
  const rules = stored.map((rule) => linkRuleOf(linkId, rule));
  const urls = rules.flatMap(({ to, variants }) => [to ?? '', ...variants.map((variant) => variant.to)]);
  return { rules, hasUnsafeUrl: !urls.every(isPlainUrl), length: text.length };
}

const linkRuleOf = (linkId: number, rule: RuleFields): LinkRule => ({
  id: rule.id,
  conditions: conditionsIn(rule.when),
  to: rule.destination_url === undefined ? null : locationOf(rule.destination_url),
  variants: (rule.variants ?? []).map(({ id, destination_url, weight }) => ({
    id,
    to: locationOf(destination_url),
    weight,
    seed: seedOf(`${linkId}\n${rule.id}\n${id}`),
  })),
  isSticky: rule.sticky !== false,
});

/** The rule that chose a visitor's destination, and its variant, if it has any. */
export interface MatchedRule {
  readonly rule: string;
  readonly variant: string | null;
}

interface Matched {
  readonly by: MatchedRule;
  readonly to: string;
}

/** The result of a rule, for explanations. */
export interface RuleStep {
  readonly rule: string;
  readonly matched: boolean;
  readonly conditions: readonly {
    readonly key: string;
    readonly not: boolean;
    readonly matched: boolean;
    readonly saw: string;
  }[];
}

/** Applies the first rule whose conditions are all met. Null if there is none. */
export function matchRules(
  { rules }: LinkRules,
  organizationId: number,
  visitor: Visitor,
  now: number,
  onStep: ((step: RuleStep) => void) | null,
): Matched | null {
  for (const rule of rules) {
    const matched = areMet(rule.conditions, visitor, now);
    onStep?.(stepOf(rule, matched, visitor, now));
    if (!matched) continue;
    const result = matchedBy(rule, organizationId, visitor, now);
    if (result !== null) return result;
  }
  return null;
}

function areMet(conditions: readonly Condition[], visitor: Visitor, now: number): boolean {
  for (const condition of conditions) if (!isMet(condition, visitor, now)) return false;
  return true;
}

function matchedBy(rule: LinkRule, organizationId: number, visitor: Visitor, now: number): Matched | null {
  if (rule.to !== null) return { by: { rule: rule.id, variant: null }, to: rule.to };
  const variant = rule.isSticky
    ? variantFor(rule.variants, visitor.dayHash(organizationId, now))
    : variantBy(rule.variants, visitor.random());
  return variant && { by: { rule: rule.id, variant: variant.id }, to: variant.to };
}

const stepOf = (rule: LinkRule, matched: boolean, visitor: Visitor, now: number): RuleStep => ({
  rule: rule.id,
  matched,
  conditions: rule.conditions.map((condition) => ({
    key: condition.key,
    not: condition.isNegated,
    matched: isMet(condition, visitor, now),
    saw: condition.saw(visitor, now),
  })),
});
