import { signal } from '@preact/signals';
import type { Link } from '../api-types.ts';

/** By ids of rules, and of variants as in statistics (`rule/variant`): their current names on the link. */
export const ruleNames = signal<ReadonlyMap<string, string>>(new Map());

/** The own address of the link on the page; '' on a page of many links. */
export const ownAddress = signal('');

type Rule = Link['rules'][number];

export const nameOfRule = (rule: Rule, index: number): string => rule.name || `Rule ${index + 1}`;

export const namesOfRules = (rules: Link['rules']): ReadonlyMap<string, string> =>
  new Map(
    rules.flatMap((rule, index) => {
      const name = nameOfRule(rule, index);
      const variants = (rule.variants ?? []).map(({ id }) => [`${rule.id}/${id}`, `${name}: ${id}`] as const);
      return [[rule.id, name] as const, ...variants];
    }),
  );
