import type { Calls } from '../api-types.ts';

/** The hits that a feed shows, by the API's names. */
export type ShownClass = NonNullable<Calls['GET /api/v1/clicks']['query']['class']>;

export const shownChoices: readonly { readonly value: ShownClass; readonly label: string }[] = [
  { value: 'click', label: 'Clicks' },
  { value: 'all', label: 'Everything' },
  { value: 'preview', label: 'Previews' },
  { value: 'bot', label: 'Bots' },
  { value: 'prefetch', label: 'Prefetches' },
  { value: 'head', label: 'HEAD requests' },
  { value: 'repeat', label: 'Repeats' },
  { value: 'flood', label: 'Floods' },
  { value: 'page', label: 'People not redirected' },
];

export function shownIn(search: string): ShownClass {
  const text = new URLSearchParams(search).get('show');
  return shownChoices.find(({ value }) => value === text)?.value ?? 'click';
}

/** "12 clicks", "1 hit": what a feed counts. */
export const nounOf = (shown: ShownClass): string => (shown === 'click' ? 'click' : 'hit');
