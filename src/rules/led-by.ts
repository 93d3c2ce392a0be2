import type { ruleFields } from './click-fields.ts';

/**
 * What the journal says that a visitor was led by (`rule`, or `rule/variant`) as the ledger keeps it: a variant with its rule, as
 * other rules have variants of the same id.
 */
export function ruleWords(ledBy: string): Readonly<Record<(typeof ruleFields)[number], string>> {
  const slash = ledBy.indexOf('/');
  return slash < 0 ? { rule: ledBy, variant: '' } : { rule: ledBy.slice(0, slash), variant: ledBy };
}

/** The variant's own id. */
export const variantIdOf = (variant: string): string => variant.slice(variant.indexOf('/') + 1);
