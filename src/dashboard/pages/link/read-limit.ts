import type { Link } from '../../api-types.ts';

const max = 1_000_000_000;

/** One or two digits after a dot or comma are decimals. */
const hasDecimals = /[.,]\d{1,2}$/;

/** A typed click limit, with or without separators: null if it is empty, undefined if it is not valid. */
export function readLimit(text: string): number | null | undefined {
  if (hasDecimals.test(text.trim())) return undefined;
  const digits = text.replace(/[\s,.'’]/g, '');
  if (digits === '') return null;
  const limit = Number(digits);
  return /^\d+$/.test(digits) && limit >= 1 && limit <= max ? limit : undefined;
}

/** How many clicks a link would have left with this limit. The first limit of a link includes its existing clicks. */
export function clicksLeftOf(
  { click_limit, clicks_left, clicks }: Pick<Link, 'click_limit' | 'clicks_left' | 'clicks'>,
  limit: number,
): number {
  // For a link without clicks left, the API doesn't report by how much its limit is exceeded.
  const spent =
    click_limit === null ? clicks : clicks_left ? click_limit - clicks_left : Math.max(click_limit, clicks);
  return Math.max(0, limit - spent);
}
