import { isSuffix, normaliseSuffix } from './suffix.ts';

/** The maximum number of path segments that are tried to find a link that forwards longer paths. */
export const maxParts = 16;

/**
 * The suffix in a path, or null if the path can't be one. A trailing slash is ignored. The decoded suffix is validated here: with
 * a line break it would be the cache key of another domain.
 */
export function suffixOf(path: string): string | null {
  const raw = path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  if (raw === '') return null;
  if (!raw.includes('%')) return raw;
  try {
    const suffix = normaliseSuffix(decodeURIComponent(raw));
    return isSuffix(suffix) ? suffix : null;
  } catch {
    return null;
  }
}
