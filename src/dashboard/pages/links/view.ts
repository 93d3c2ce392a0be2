import type { Link } from '../../api-types.ts';
import { addressOf, call } from '../../client.ts';
import { navigate, setQuery } from '../../router.ts';

export const orders = [
  { value: '-created_at', label: 'Newest first' },
  { value: '-updated_at', label: 'Recently changed' },
  { value: 'name', label: 'By name' },
  { value: 'suffix', label: 'By suffix' },
  { value: 'created_at', label: 'Oldest first' },
] as const;
type Order = (typeof orders)[number]['value'];

export const sizes = [25, 50, 100] as const;
/** So many tags the server takes at once. */
export const maxTags = 10;
export const maxQueryLength = 200;
/** As far as the server counts. */
const maxPages = 1_000_000_000 / Math.max(...sizes);
const sparkDays = 14;

/** Which links are shown, and which page of them: all of it stands in the address. */
export interface View {
  readonly words: string;
  readonly tagIds: readonly number[];
  readonly domain: string;
  readonly order: Order;
  readonly size: number;
  readonly page: number;
  /** Links made since the first page was seen are left out, so that the other pages stay put. */
  readonly before: number | null;
}

const wholeNumber = (text: string | null): number | null =>
  text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;

export function viewOf(search: string): View {
  const query = new URLSearchParams(search);
  const size = wholeNumber(query.get('size'));
  return {
    words: (query.get('q') ?? '').slice(0, maxQueryLength),
    tagIds: (query.get('tag') ?? '')
      .split(',')
      .flatMap((id) => wholeNumber(id) ?? [])
      .slice(0, maxTags),
    domain: query.get('domain') ?? '',
    order: orders.find(({ value }) => value === query.get('sort'))?.value ?? '-created_at',
    size: sizes.find((one) => one === size) ?? sizes[0],
    page: Math.min(wholeNumber(query.get('page')) ?? 1, maxPages),
    before: wholeNumber(query.get('before')),
  };
}

export const isNarrowed = (view: View): boolean =>
  view.words !== '' || view.tagIds.length > 0 || view.domain !== '';

const filtersOf = ({ words, tagIds, domain }: View) => ({
  q: words || undefined,
  tag: tagIds.join(',') || undefined,
  domain: domain || undefined,
});

const questionOf = (view: View) => ({
  ...filtersOf(view),
  sort: view.order,
  limit: view.size,
  offset: (view.page - 1) * view.size,
  before: view.page > 1 && view.order === '-created_at' ? (view.before ?? undefined) : undefined,
  daily: sparkDays,
});

export const keyOf = (view: View): string => `links ${JSON.stringify(questionOf(view))}`;

export const linksOf = (view: View) => call('GET /api/v1/link', { query: questionOf(view) });

/** Where a filter or an order changes, what was a page of the old list is none of the new one. */
export const narrow = (
  changes: Readonly<Partial<Record<'q' | 'tag' | 'domain' | 'sort' | 'size', string | null>>>,
): void => setQuery({ ...changes, page: null, before: null });

export const showAll = (): void => narrow({ q: null, tag: null, domain: null });

/** A page of the list is a step of the browser's history: Back leads to the one before. */
export function showPage(page: number, view: View, shown: readonly Link[]): void {
  const newest = view.page === 1 ? shown[0]?.id : undefined;
  const before = view.before ?? (newest === undefined ? null : newest + 1);
  const query = new URLSearchParams(location.search);
  query.delete('page');
  query.delete('before');
  if (page > 1) query.set('page', String(page));
  if (page > 1 && view.order === '-created_at' && before !== null) query.set('before', String(before));
  navigate(query.size > 0 ? `/app?${query}` : '/app');
}

/** Where the links that match are to be had as a table. */
export const exportOfView = (view: View): string => addressOf('/api/v1/link.csv', { query: filtersOf(view) });

export const exportOf = (ids: readonly number[]): string =>
  addressOf('/api/v1/link.csv', { query: { ids: ids.join(',') } });
