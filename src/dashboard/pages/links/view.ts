import type { Link } from '../../api-types.ts';
import { addressOf, call } from '../../client.ts';
import { maxQueryLength } from '../../parts/search-field.tsx';
import { queryWith } from '../../query-string.ts';
import { navigate, setQuery } from '../../router.ts';
import { setup } from '../../session.ts';
import { searchedText } from '../../short-links.ts';
import { idsIn, maxTags } from '../../stats/chosen.ts';

export const orders = [
  { value: '-created_at', label: 'Newest first' },
  { value: '-updated_at', label: 'Recently changed' },
  { value: '-clicks', label: 'Most clicks' },
  { value: 'name', label: 'By name' },
  { value: 'suffix', label: 'By suffix' },
  { value: 'created_at', label: 'Oldest first' },
] as const;

export const sizes = [25, 50, 100] as const;
/** The maximum offset of the API. */
const maxPages = 1_000_000_000 / Math.max(...sizes);
const sparkDays = 14;

/** Which links and which page of them are shown, according to the page's address. */
export type View = ReturnType<typeof viewOf>;

const wholeNumber = (text: string | null): number | null =>
  text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;

export function viewOf(search: string) {
  const query = new URLSearchParams(search);
  const size = wholeNumber(query.get('size'));
  return {
    words: (query.get('q') ?? '').slice(0, maxQueryLength),
    tagIds: idsIn(query.get('tag') ?? '').slice(0, maxTags),
    domain: query.get('domain') ?? '',
    /** The archived links are shown, and no others. */
    isArchive: query.get('archived') === 'true',
    /** Only links that are in print. */
    isOnPaper: query.get('on_paper') === 'true',
    hasProblem: query.get('has_problem') === 'true',
    order: orders.find(({ value }) => value === query.get('sort'))?.value ?? '-created_at',
    size: sizes.find((one) => one === size) ?? sizes[0],
    page: Math.min(wholeNumber(query.get('page')) ?? 1, maxPages),
    /** Links with this id or a higher one are hidden, so that pages don't shift while links are created. */
    before: wholeNumber(query.get('before')),
  };
}

export const isNarrowed = (view: View): boolean =>
  view.words !== '' || view.tagIds.length > 0 || view.domain !== '' || view.isOnPaper || view.hasProblem;

export const filtersOf = ({ words, tagIds, domain, isArchive, isOnPaper, hasProblem }: View) => ({
  q: searchedText(words, setup.value?.default_domain ?? '') || undefined,
  tag: tagIds.join(',') || undefined,
  domain: domain || undefined,
  archived: isArchive ? ('true' as const) : undefined,
  on_paper: isOnPaper || undefined,
  has_problem: hasProblem || undefined,
});

const queryOf = (view: View) => ({
  ...filtersOf(view),
  sort: view.order,
  limit: view.size,
  offset: (view.page - 1) * view.size,
  before: view.page > 1 && view.order === '-created_at' ? (view.before ?? undefined) : undefined,
  daily: sparkDays,
});

export const keyOf = (view: View): string => `links ${JSON.stringify(queryOf(view))}`;

export const linksOf = (view: View) => call('GET /api/v1/link', { query: queryOf(view) });

/** Changes the filters or the order, and goes to the first page. */
export const narrow = (
  changes: Readonly<
    Partial<Record<'q' | 'tag' | 'domain' | 'on_paper' | 'has_problem' | 'sort' | 'size', string | null>>
  >,
): void => setQuery({ ...changes, page: null, before: null });

export const showAll = (): void =>
  narrow({ q: null, tag: null, domain: null, on_paper: null, has_problem: null });

/** Adds a step to the browser's history, so that Back leads to the previous page of the list. */
export function showPage(page: number, view: View, shown: readonly Link[]): void {
  const newest = view.page === 1 ? shown[0]?.id : undefined;
  const before = view.before ?? (newest === undefined ? null : newest + 1);
  const hasBefore = page > 1 && view.order === '-created_at' && before !== null;
  const changes = { page: page > 1 ? String(page) : null, before: hasBefore ? String(before) : null };
  navigate(`/app${queryWith(location.search, changes)}`);
}

/** The address of a CSV file of the links that match. */
export const exportOfView = (view: View): string => addressOf('/api/v1/link.csv', { query: filtersOf(view) });

export const exportOf = (ids: readonly number[]): string =>
  addressOf('/api/v1/link.csv', { query: { ids: ids.join(',') } });
