import type { ClassReason, ClickClass } from '../rules/click-class.ts';
import type { DeviceKind } from '../rules/user-agent.ts';

/**
 * Numbers that stand in the ledger and the roll-ups for words of a closed list: a word's place in its list. Lists are
 * only ever added to at their end.
 */
export const sources = ['link', 'qr'] as const;
export const devices = [
  'desktop',
  'mobile',
  'tablet',
  'tv',
  'other',
] as const satisfies readonly DeviceKind[];
export const classes = [
  'human',
  'preview',
  'bot',
  'prefetch',
  'head',
  'repeat',
] as const satisfies readonly ClickClass[];
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
] as const satisfies readonly ClassReason[];

/**
 * Classes of the roll-ups. A click is a person who was redirected; a person who met a page (password, captcha, expired)
 * is `page`; the rest are the ledger's own.
 */
export const rollupClasses = ['click', 'page', 'preview', 'bot', 'prefetch', 'head', 'repeat'] as const;
export type RollupClass = (typeof rollupClasses)[number];

/**
 * What roll-ups are kept by. `total` has one value, 0, for every class; `visitors` counts, under the first hour of a UTC
 * day, who was new that day (clicks only); `reason` is for what is no click; all others are for clicks alone.
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
] as const;
export type Dimension = (typeof dimensions)[number];

const codeIn = <T extends string>(list: readonly T[]): ((word: T) => number) => {
  const places = new Map(list.map((word, place) => [word, place]));
  return (word) => places.get(word) ?? 0;
};
export const classCode = codeIn<(typeof classes)[number]>(classes);
export const reasonCode = codeIn<(typeof reasons)[number]>(reasons);
export const deviceCode = codeIn<(typeof devices)[number]>(devices);

export const hourLength = 3_600_000;
export const hourOf = (at: number): number => Math.floor(at / hourLength);
