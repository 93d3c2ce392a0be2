import type { DeviceKind, sources } from '../click-fields.ts';

/** The rules of a link as they are stored and returned. */
export interface RuleFields {
  readonly id: string;
  readonly name: string | null;
  readonly when: RuleConditions;
  /** Either this or `variants`. */
  readonly destination_url?: string;
  readonly sticky?: boolean;
  readonly variants?: readonly VariantFields[];
}

export interface VariantFields {
  readonly id: string;
  readonly destination_url: string;
  readonly weight: number;
}

/** A visitor has to meet all conditions, each by one of its values. Values are in the form in which they are compared. */
export interface PlainConditions {
  readonly country?: readonly string[] | undefined;
  readonly region?: readonly string[] | undefined;
  readonly city?: readonly string[] | undefined;
  readonly language?: readonly string[] | undefined;
  readonly device?: readonly DeviceKind[] | undefined;
  readonly os?: readonly string[] | undefined;
  readonly browser?: readonly string[] | undefined;
  /** By name, the values of a parameter; an empty list for any value. */
  readonly query?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly referrer?: readonly string[] | undefined;
  readonly network?: readonly string[] | undefined;
  /** ISO 8601, UTC: not before `from`, and before `to`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly hours?: RuleHours | undefined;
  readonly source?: readonly (typeof sources)[number][] | undefined;
}

export type ConditionKey = keyof PlainConditions;

export interface RuleConditions extends PlainConditions {
  /** None of these may be met. */
  readonly not?: PlainConditions | undefined;
}

/** Without days, every day; hours that end before they begin end on the next day. */
export interface RuleHours {
  readonly timezone: string;
  readonly days?: readonly Weekday[] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** In the order of `Date.getUTCDay`. */
export const weekdays = ['su', 'mo', 'tu', 'we', 'th', 'fr', 'sa'] as const;
export type Weekday = (typeof weekdays)[number];

export const maxRules = 50;
export const maxValues = 100;
export const maxVariants = 10;
export const maxWeight = 1_000;
/** Of all rules of a link as JSON, in characters: a link that was read must fit into a request body of 64 KB. */
export const maxRulesText = 48 * 1024;

/** The rules in a stored text. An unreadable text, which we never write, has none. */
export function readRules(text: string | null): readonly RuleFields[] {
  if (text === null) return [];
  try {
    return JSON.parse(text) as RuleFields[];
  } catch {
    return [];
  }
}
