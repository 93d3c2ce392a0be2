import type { Calls } from '../api-types.ts';

/** The hits that a feed shows, by the API's names. */
export type ShownClass = NonNullable<Calls['GET /api/v1/clicks']['query']['class']>;

export const shownNames: readonly (readonly [ShownClass, string])[] = [
  ['click', 'Clicks'],
  ['all', 'Everything'],
  ['preview', 'Previews'],
  ['bot', 'Bots'],
  ['prefetch', 'Prefetches'],
  ['head', 'HEAD requests'],
  ['repeat', 'Repeats'],
  ['flood', 'Floods'],
  ['page', 'People not redirected'],
];

export function shownIn(search: string): ShownClass {
  const text = new URLSearchParams(search).get('show');
  return shownNames.find(([name]) => name === text)?.[0] ?? 'click';
}

/** "12 clicks", "1 hit": what a feed counts. */
export const nounOf = (shown: ShownClass): string => (shown === 'click' ? 'click' : 'hit');
