/** The fields of a click that describe its visitor: from the address and the headers. */
export const visitorFields = ['country', 'os', 'browser', 'language'] as const;
/** Parameters in the link's address, by their names there. */
export const utmFields = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;
export type UtmField = (typeof utmFields)[number];
/** Where a click came from. Most clicks have none of these. */
export const originFields = ['referrer', ...utmFields] as const;

/** What chose the destination: the rule's id, and `rule/variant` if it has variants. Nearly all clicks have neither. */
export const ruleFields = ['rule', 'variant'] as const;
/** The visitor's location: the region's code, and the city prefixed with its region or country. Only city files have them. */
export const placeFields = ['region', 'city'] as const;
/** The alias of its link that was visited; empty for the link's own address. */
export const aliasFields = ['alias'] as const;

/** The texts of a click. The ledger stores them as ids of words; '' has the id 0. */
export const wordFields = [
  ...visitorFields,
  ...originFields,
  ...ruleFields,
  ...placeFields,
  ...aliasFields,
] as const;
export type WordField = (typeof wordFields)[number];

/** The fields of a click that are stored as codes of closed lists, all below 256. */
export const codeFields = ['outcome', 'target', 'class', 'reason', 'device', 'source'] as const;

/** The ledger's columns. Packs store them in this order. */
export const hitColumns = ['link_id', 'organization_id', 'at', ...codeFields, ...wordFields] as const;
export type HitColumn = (typeof hitColumns)[number];

export const eachField = <Field extends string, T>(
  fields: readonly Field[],
  of: (field: Field) => T,
): Record<Field, T> => Object.fromEntries(fields.map((field) => [field, of(field)])) as Record<Field, T>;

/** The texts of a click about which nothing is known. */
export const noWords: Readonly<Record<WordField, string>> = eachField(wordFields, () => '');

/**
 * What a visitor got. The journal, the ledger and the roll-ups have a code for each word of this and the following lists: its index.
 * Lists may only grow at their end.
 */
export const outcomes = [
  'redirect',
  'preview',
  'ask_password',
  'ask_captcha',
  'refused',
  'expired',
  'not_started',
] as const;
/** Which destination was chosen. */
export const targets = ['none', 'default', 'android', 'ios', 'rule'] as const;
export const sources = ['link', 'qr'] as const;
export const devices = ['desktop', 'mobile', 'tablet', 'tv', 'other'] as const;
export type DeviceKind = (typeof devices)[number];

/** The class of a hit on a link. Only a redirected `human` hit is a click; the others are kept for inspection. */
export const classes = ['human', 'preview', 'bot', 'prefetch', 'head', 'repeat', 'flood'] as const;
export type ClickClass = (typeof classes)[number];

/** Why a hit has its class. */
export const reasons = [
  'browser',
  'app_browser',
  'head_method',
  'unusual_method',
  'purpose_header',
  'empty_user_agent',
  'preview_agent',
  'link_scanner',
  'monitor',
  'automation',
  'http_library',
  'known_crawler',
  'bot_pattern',
  'unlike_browser',
  'recent_visit',
  'not_navigation',
  'no_browser_headers',
  'flood',
  'reclassified',
] as const;
export type ClassReason = (typeof reasons)[number];

/**
 * Classes of the roll-ups, and the columns of `link_hours` that count them. A click is a person who was redirected; a person who
 * was shown a page (password, captcha, expired) is `page`; the others are the ledger's classes.
 */
export const rollupClasses = [
  'click',
  'page',
  'preview',
  'bot',
  'prefetch',
  'head',
  'repeat',
  'flood',
] as const;
export type RollupClass = (typeof rollupClasses)[number];

/** The roll-ups' class of a hit, by codes of the ledger: the classes after `human` follow in the ledger's order. */
export function rollupClassOf(ofClass: number, outcome: number): number {
  if (ofClass > 0) return ofClass + 1;
  return outcome === 0 ? 0 : 1;
}

/**
 * The dimensions of roll-ups. `total` has one value, 0, for every class; `visitors` counts the visitors whose first click of a
 * UTC day is in the hour (since when: `stats/rule-changes.ts`); `reason` is for hits that are not clicks; all others are only
 * for clicks. `variant_visitors` is only kept for links: visitors by the variant of their first click of a UTC day.
 */
export const dimensions = [
  'total',
  'visitors',
  'reason',
  'country',
  'device',
  'os',
  'browser',
  'language',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'destination',
  'source',
  'utm_term',
  'utm_content',
  'rule',
  'variant',
  'variant_visitors',
  'region',
  'city',
  'address',
] as const;
export type Dimension = (typeof dimensions)[number];

/** Has a column in the ledger, and is only counted for clicks. */
export type ClickDimension = Exclude<Dimension, 'total' | 'visitors' | 'reason' | 'variant_visitors'>;
const withoutColumn: readonly Dimension[] = ['total', 'visitors', 'reason', 'variant_visitors'];
export const clickDimensions = dimensions.filter(
  (name): name is ClickDimension => !withoutColumn.includes(name),
);

/**
 * Dimensions that nearly all clicks leave empty: an organization's roll-ups don't store their value 0, whose count is its clicks
 * minus those of the other values.
 */
const sparseDimensions = [
  'utm_term',
  'utm_content',
  'rule',
  'variant',
  'region',
  'city',
  'address',
] as const satisfies readonly ClickDimension[];
export const isSparse = (dimension: Dimension): boolean =>
  sparseDimensions.some((sparse) => sparse === dimension);

/** Whether stores that already had clicks began to count this dimension later. */
export const wasAddedLater = (dimension: string | undefined): boolean =>
  dimension === 'utm_term' || dimension === 'utm_content';

/** Dimensions with many values in an hour, each of which has a row in an organization's roll-ups. */
const manyValued = [
  'country',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'language',
] as const satisfies readonly ClickDimension[];
export const hasManyValues = (dimension: Dimension | undefined): boolean =>
  manyValued.some((name) => name === dimension);

/** The column with a dimension's values. */
export function columnOf(dimension: ClickDimension | 'reason' | 'class'): HitColumn {
  if (dimension === 'destination') return 'target';
  return dimension === 'address' ? 'alias' : dimension;
}

/** Dimensions whose values are words. */
export const wordDimensions: readonly Dimension[] = [
  ...clickDimensions.filter((name) => (wordFields as readonly HitColumn[]).includes(columnOf(name))),
  'variant_visitors',
];

const codesOf = <Word extends string>(words: readonly Word[]): Readonly<Record<Word, number>> =>
  eachField(words, (word) => words.indexOf(word));
export const classCodes = codesOf(classes);
export const reasonCodes = codesOf(reasons);
export const deviceCodes = codesOf(devices);
export const sourceCodes = codesOf(sources);
export const rollupClassCodes = codesOf(rollupClasses);
export const dimensionCodes = codesOf(dimensions);
