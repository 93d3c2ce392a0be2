import type { ruleFields } from '../click-fields.ts';

/**
 * The journal's `rule` or `rule/variant` in the ledger's form: a variant with its rule, because other rules have variants with
 * the same id.
 */
export function ruleWords(matchedRule: string): Readonly<Record<(typeof ruleFields)[number], string>> {
  const slash = matchedRule.indexOf('/');
  return slash < 0
    ? { rule: matchedRule, variant: '' }
    : { rule: matchedRule.slice(0, slash), variant: matchedRule };
}

/** The variant's own id. */
export const variantIdOf = (variant: string): string => variant.slice(variant.indexOf('/') + 1);
